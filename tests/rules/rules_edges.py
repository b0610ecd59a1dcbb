"""The edges of the rules, written as in :mod:`rules_examples`: the shortest and the longest of what a rule
finds, each of its labels and signs, and what lies one step beyond, which it must not find."""

EDGES = {
    "doctor_title": """
        Dr [Ruiz], Dr.[Ruiz], Dr.  [Ruiz]; Dr, Ruiz
        Dr. [X], Dr. [Will], Dr. [May], Dr. And, Dr. RN
        Drs. [Ruiz], Nowak and [Quevix]; Drs. [Ruiz] and the team
        Dr. [J. R. Quevix], M.D., and Dr. [Quevix] MD
        Prof. [Quevix] saw him
        Dr. [Ruiz-Nowak], Dr. [O'Hara], Dr. [St. John], Dr. [van Quevix]; Dr. van
        Dr. [Ruiz]. Nowak was there
        Dr. of the day
        Dr. [Quevix] M¶Seen; Dr. [Ana Bea Cleo Dora] Ruiz
        Dr. [Quevix A. B. Ruiz], Dr. [Ana M. Quevix], Dr. [Quevix M]. Do
        Drs. [Ruiz], Nowak, Quevix, Kim and Haddad
        Drs. [Ruiz], Nowak, Quevix and [Haddad]; Drs. [Ruiz] and [Nowak] and Quevix; Drs. [Ruiz], pain
        Nowak
        Seen by Dr.
        Dr. [Kim]. Nowak was there; Dr. [St. John]; Dr. [Wu]. and
    """,
    "patient_title": """
        MS. [Ruiz], MS. Progressive, MS Ruiz
        SR. [Ruiz], SR Ruiz, sr Ruiz, Sr [Quevix], Sr Progressive
        Madam Speaker, Madam [Ruiz]
        Miss [Ruiz], Mister [Ruiz]
        Mrs [Will] and Mrs And
        Mr. 5, Mr. x, Mr. MD
    """,
    "other_title": """
        Captain [Ruiz], captain Ruiz
        Father, Ruiz and Father  Ruiz and Father. [Ruiz]
        Sister Progressive, Rabbi [Anderson]
        He saw the Captain
        Ruiz Captain was
    """,
    "credential": """
        [Ruiz] MD
        [Ruiz],MD
        [Ruiz],  RN
        [Ruiz, Ana], MD
        [Ana van der Berg], MD
        [J. Ruiz], Ph.D, [A. Haddad], PharmD.
        Seen. [Ruiz], MD
        Pain, [Ruiz Leo], MD
        Ruiz and MD; Ruiz; MD
        [Ruiz], MD; [Haddad], M.D.; [Nowak], M. D.; Okafor, m d
        [Ruiz], DO; [Haddad], D.O.; [Nowak], PhD; [Okafor], Ph D; [Quevix], Ph. D
        [Ruiz], R.N.; [Haddad], LPN; [Nowak], L.P.N.; [Okafor], L.PN; [Quevix], N.P.; [Kim], NP
        [Ruiz], ARNP; [Haddad], RNP; [Nowak], CRNP; [Okafor], PA; [Quevix], P.A.; [Kim], PA-C
        [Ruiz], CRNA; [Haddad], CNM; [Nowak], DDS; [Okafor], D.D.S.; [Quevix], DMD; [Kim], D.M.D.
        [Ruiz], DPM; [Haddad], PharmD; [Nowak], Pharm.D; [Okafor], RPh; [Quevix], LICSW; [Kim], LCSW
        [Ruiz], MSW; [Haddad], PsyD; [Nowak], MBBS; [Okafor], DPT; [Quevix], OTR; [Kim], SLP, and [Lund], RRT
        Ruiz, MDX
        Ruiz, DOT; Ruiz, RNA; Ruiz, NPO; Ruiz, PAC; Ruiz, PhDs; Ruiz, DMDs
        The, MD; J, MD; de, MD; [J. Ruiz], Md; [Haddad], PHD
        Ana [Bea Cleo Dora Ruiz], MD; [Ruiz, Ana Bea], MD; Nowak, [Ana Bea Cleo], MD
    """,
    "doctor_field": """
        Attending physician: [Quevix], surgeons: [Haddad], Provider(s): [Nowak]
        Signed by [Quevix], Reviewed by: [Haddad], seen by nurse
        read by Will, seen by [Ruiz] and
        PCP= [Ruiz]
        PCP | [Ruiz]
        Attending: Dr. [Ruiz]
        Verified electronically by: [Quevix]
        Attending: [RICE,ANA]
        Attending: RICE, pain
        Attending: C. Do and
        Attending: [C. Do]¶Seen
        Attending: [Rice], RN; Attending: [RICE, ANA BEA]
        Attending: dr [Ruiz]; PCP: dr. [Nowak]; Surgeon: Dr [Okafor]
        Attending: c. Do
        Attending: C Do
        Attending: C. D
        Attending: C.
        Attending: DO, Ana
        seen by
        Doctor: Okay, any pain?¶Doctor: Oh, good. I see.¶Doctor: Hm.
        Doctor: Wonderful. Is he retired?¶Patient: Um, no.¶Doctor: Welcome in!¶Doctor: Vape¶
        Doctor: [Haddad], is it you?¶Patient: Yes.¶Doctor: [Nowak]
        Doctor: [Oh, Sandra]
        Doctor: [Rice, Ana I]
    """,
    "patient_field": """
        Name: [Ruiz, Ana], Pt's name: [Haddad]; re: [Nowak]; AKA: [Quevix]
        Last name: [Ruiz] First name: [Ana]
        Patient  Name: [Ruiz]; Member's Name: [Haddad]; Maiden Name= [Nowak]; Surname: Ruiz
        Patient: [RICE, ANA]
        Patient: [Rice,Ana], RN
        Patient: [Ruiz], RN
        Patient: [C. Do]
        Name:	[Quevix]
        Patient Name Ruiz
        Name: [Ruiz] ,Ana
        Name: MD
        Name: [Xu, Ana]; Name: [Foo, Ana]; Name: [J. Ruiz]; Name: A B; Name: [Ana]
        Name:¶Ana Ruiz
        Patient: [RUIZ, Ana Bea] Cleo Dora
        Patient: Um no. I feel fine.¶PT: Okay.¶Patient: Lemme think.
        PT: My uncle had it.¶PT: Gaviscon. I thought it was wind.¶PT: Vape.
        Patient: [Haddad]. I am his wife.¶Patient: Yeah.
        Patient: [Quevix]¶MRN 12¶Patient: [Quevix]
        Patient: [Quevix] was seen
    """,
    "relative": """
        wife named [Ana], wife is called [Leila]
        wife, [Leila], wife ([Leila]), wife: [Leila], wife - [Leila], wife "[Leila]"
        wife MS, wife ICU, wife [Leilax]
        wife name is called [Leila]; son named: [Leo]; daughter named  Ana
        her son's name is [Quevix]; WIFE'S NAME: [Leila]; his son's Quevix
        her sister's name tag; her aunt's namesake Quevix
        son Mark will mark it
        mother Fever, father Cancer
        Sister [Ana]
    """,
    "staff": """
        RN [Quevix], nurse: [Ana], PA [Ruiz], attending, [Ruiz]
        social worker [Leila]; NP [Haddad] (attending)
        nurse ICU, surgeon Will
        nurse [QUEVI], nurse QUEV
    """,
    "surname_comma_first": """
        [RUIZ,ANA], [Ruiz, Ana Maria]; Ruiz ,Ana; Ruiz; Ana
        [O'Hara, Patricia], [Smith-Ruiz, Patricia]
        -[Ruiz, Ana] and Nowak
        Nowak pre-[Ruiz, Ana], seen [Smith-Ruiz, Ana]
        [Brown, Virginia], [Brown, Latoya], Brown, Florence
        [Quevix, Patricia] and Fever, Latoya
        Rice, Quevix
        [Ruiz, Ana]; [Ruiz, Ana Bea] Cleo Dora; [Quevix, Ana]; Pain, Ana; Ruiz, pain; De Ruiz
        Ana; Ruiz, Wrzeszczyn
    """,
    "first_and_surname": """
        [Ana B Ruiz], [Ana  Ruiz]
        [Patricia van der Berg], Patricia van
        Patricia RUIZ
        [PATRICIA RUIZ]
        [Patricia Brown] and Ana Brown
        [Patricia Wagener] and Ana Wagener
        Patricia Thomas splint
        [Virginia Young], [Latoya Young], Florence Young
        patricia ruiz
        May Pain
        [Ana Ruiz]; Smith-Ana Ruiz; x-Ana Ruiz; Ana; [Robert Quevix]; Ana
    """,
    "initials_surname": """
        [J. Smith], [J.Ruiz], [J Smith], [J Ruiz], J Quevix, J. Quevix
        A Smith, I Smith, [A. Smith]
        [J. Lee] and J. Li
        j. Ruiz, J. ruiz
        A/J. Ruiz, -J. Ruiz, &J. Ruiz, 'J. Ruiz
        [J. R. Ruiz], [J.R. Ruiz], J [R. Ruiz]
        J. Ruiz forceps
        Text¶[B. Thomas] and [B. Foley]
        B. Foley
        . [J. Ruiz] and Ana B
    """,
    "surname_prefix": """
        d'Angelo, [D'Angelo], O Malley, o'malley
        [de la Cruz], [van den Berg], [von Ruiz], de Progressive, van
        [Quevixo van Tijlen], Reading van Tijlen, quevixo van Tijlen, Pain van Tijlen
        Quevixo Van Tijlen
        La Paz, la Ruiz, El Ruiz
        van Buren forceps
        [van Ruiz], van Ruiz elevator, van Ruiz clamp, von Hippel, de Foley, de Graves
        [de la Ruiz], [van der Ruiz], van [de la der Ruiz], De Crohn
        de Babcock, [Mc Ruiz], [O'Ruiz], o'Ruiz, d'Ruiz, [D'Ruiz], O Ruiz
        [Everard van Tijlen], Pain van Tijlen, everard van Tijlen, Everard Van Tijlen
        Boston van Tijlen
        He saw Everard, van Tijlen
        [O'Malley]
        seen with van
    """,
    "popular_name": """
        [patricia], [Patricia], [PATRICIA]
        Patricia clamp, Patricia-Ann, [Patricia]. Clamp, [Patricia], clamp
        Virginia, Thomas
        will, Grace, grace
    """,
    "clear_first_name": """
        Latoya agrees; latoya too
        [LATOYA] agrees
    """,
    "popular_surname": """
        Brown; Johnson clamp; Johnson the clamp; [Johnson] then the clamp
        [Garcia], Nelson and nelson
        COOK, HALL, KING
        [GARCIA] agrees
        [SMITH], HALL, [JONES]
    """,
    "clear_surname": """
        [Haddad], [HADDAD]
        Haddad and haddad
        RUIZ
        Haddad-Ruiz
    """,
    "misspelt_name": """
        [Patrcia], [Patricai], [Chrisotpher]
        Patrcia and patrcia
        Patrcia clamp, Patrcia-clamp
        Marry, Willaims, Jonh
    """,
    "street_address": """
        Sent: Aug 30, 6:12 AM¶Hi Dr Quan
        [12 N. Elm Street], [12a Elm St], [12 5th Avenue], [12 O'Hara Ln]
        [12 Elm Street Apt. 4], [12 Elm Street, Suite #200]
        123456 Elm Street, [1 Elm Street]
        [12 One Two Three Four Street], 12 One Two Three Four Five Street
        [12 ELM STREET], 12 elm street
        [12 Elm¶Street]
        [12 Ana-Maria Way]
        12 mg Elm Street, 12 Elm Streets
        [12 N Elm Street], [12 N. Elm Street], [12 12th Street], [12 3rd Street], [12 Elm Street #4]
        [12 Elm Street Apt 4], [12 Elm Street Apt. 4]
        [12 Elm Street Apt.4], [12 ELM STREET], 12 elm STREET
        gave 20 Lasix way too late, did 5 Laps run by run
        [12 N One Two Three Four Street], [12 N. Elm Street]
    """,
    "post_box": """
        [P.O. BOX 1], [PO box 12], [P. O. Box 3]
        POBox 12, PO Box A
    """,
    "street_by_name": """
        [Walnut Parkway]
        [Go Street], Room Street, The Street
        walnut Street, Elm street, Elm  Street
        Elm¶Street
    """,
    "zip_code": """
        MA [02114], MA, [02114], MA  [02114], Mass [02114], Massachusetts [02114]
        zip [02114], Zip code: [02114], Ohio [02114]
        ma 02114, MAX 02114, zip¶02114, MA   02114
        MA 021145, MA 02114-12345, MA 2114
        xMass 02114, xZip [02114], zip:02114, MA [02114-1234]
        Thrombocytopenia 12000, Massachusetts,  [02114]
    """,
    "city_before_state": """
        RNP, SMITH, RO, LA WERE NEGATIVE
        ABSENCE OF ORAL OR GENITAL ULCERS
        [Boston] MA, [Boston], Massachusetts, [Boston] Vermont
        [Boston], MD; Zimmstraboro, MD; Boston MD
        West [South North Zimmstraboro], MA
        The [Zimmstraboro], MA; A [Zimmstraboro], MA
        Pain, MA; Fever, VT; J, MA
        Zimmstraboro MA; Zimmstraboro,MA
        Quevix, OH; Quevix, IN; Quevix, HI; [Cleveland], OH
        Boston, ma
        J [Boston], MA; [Al Zimmstraboro], MA; [West Zimmstraboro], MA
        Quevix [Boston], MA; [Quevix Zimmstraboro], MA
    """,
    "state_abbreviation": """
        RNP, SMITH, RO, LA WERE NEGATIVE
        ABSENCE OF ORAL OR GENITAL ULCERS
        PORTLAND [OR]
        Zimmstraboro, [MA]; Zimmstraboro, MD; Boston [MA]; Zimmstraboro MA
        State: [MA], state:  [PA], State MA, Interstate: MA
        [MA] 02114, [MA], 02114, [MA]  02114, MA 021145
        [OR] 02114, ma 02114, Ma 02114
        Boston, [OR]; Portland, [OR]; Pain, OR
        State: [MA], state:     [MA], State                     MA
        state:                  [MA]
        state:                   MA
    """,
    "state": """
        New York Heart, [New York] state, Vermont clamp, [VERMONT]
        X-Vermont, Vermont-like
        New¶York, [New  York], NEW york
        [West Virginia]. [New Hampshire]
        [District of Columbia], [District Of Columbia]
    """,
    "country": """
        Brazil nuts, from [Brazil]
        [Sri Lanka], sri Lanka, Sri lanka, [PORTUGAL]
        [Saudi Arabia]; [Papua New Guinea]
        Georgia, Chad
    """,
    "clear_city": """
        [Salt Lake City], Framingham, Ottawa
        [MINNEAPOLIS], minneapolis, Minneapolis clamp
        Los Angeles tube, [Los Angeles]
        Salt Lake City clamp, [Los Angeles] was far, BOSTON, ERIE, LIMA, OTTAWA, Boston
        [MINNEAPOLIS]
        in [AKRON], in AVON, in [Avon]
        seen by Hamilton, Canyon and Sunset
        in [Coeur d'Alene] and [St. Louis]
        from [Port-au-Prince] to [Milton-Freewater], Minneapolis-like, X-Minneapolis, Santa Barbara-like
    """,
    "place_indicator": """
        born in [Yarabrook], raised outside of [Quevixo Yarabrook], native of [Zimmstraboro]
        lives in zimmstraboro, lives in ABCD, lives in [ABCDE]
        lives in Rehab, moved to Bed, lives in Fever, lives near The
        lives in [Quevixo Yarabrook Zimmstra] Boro
        Zimmstra lives in Zimmstra; zimmstra
        lives in [Zimmstra], lives in zimm, lives in [Quevixo Yarabrook Zimmstra] Boro Town
        born in [El Paso], moved from Pain, lives in ABCD
        lives very near [Zimmstra], lives in the far Zimmstra, lives in¶Zimmstra
        lives in [Quevixo Yarabrook Zimmstra] Quevixville
        lives in [Zimmstra] Nursing Home
        lives in [Zimmstra] nr quevixville
        living with wife near [Zimmstra]
        living with her wife near Zimmstra
    """,
    "place_by_neighbour": """
        [Fort Zimmstra], Lake pain, lake Todwood, Lake  Todwood, Mount Ed
        [Los Quevix], Lake ICU, Lake DX
        [Zimm Town], Rehab Harbor, the Ville, Quevix ville
        Lake Todwood and todwood
        Cape
        Harbor
        Lake Ed, [Lake Todwood], [Lake TODWOOD], [LAKE TODWOOD], Fort ED, [Cape Xu], [Mount Zimmstra]
        Lake Dx, Lake PAIN
    """,
    "room": """
        room [12], Rm. [1028A], rm #[12], bed number [12], bed no. [12], room [A12], room [AB-1234]
        room 1, room 12345, room 12E, bed ABC12, roommate 12, rooms 12, room A-1
        Room [12] and rm [12] and RM. [12]
        room no [12], room no. [12], room #[12], room # [12], room number [12], bed no 4, rm no [12]
    """,
    "hospital_list": """
        massachusetts [General Hospital], Massachusetts general Hospital
        [BIDMC], bidmc, R-BIDMC
        Mercy, Jude
        Jude, MERCY, Mercy, Mount Auburn, [BIDMC] pump, [BIDMC]
        seen by Beaumont
        to [Cedars-Sinai], from [Barnes-Jewish], Cedars-Sinai-like
        Beaumont was given CHOP
    """,
    "hospital_head": """
        UNDER SATISFACTORY GENERAL ENDOTRACHEAL ANESTHESIA
        at [LAKEVIEW GENERAL]
        [Walnut Hospital]
        walnut Hospital, Walnut hospital, Walnut Clinic, [Quevix Clinic]
        Walnut Hospital near walnut trees
        Pain Hospital, Surgery Center, Day Hospital, [Quevix Memorial], [West Memorial]
        [QX Hospital], [QXHAB Hospital], [Quevix General], General Hospital
        [St. Quevix Hospital], Drs. [Quevix Hospital], Text. [Quevix Hospital], [Mt. Quevix Medical Center]
        [Quevix and Zimmstra Hospital], [Quevix & Zimmstra Hospital], Quevix or [Zimmstra Hospital]
        [Quevix One Two Three Four Hospital]
        [Quevix Hospital of Dunmore], [Quevix Hospital] of the, [Quevix Hospital] of Pain
        Quevix 5 Hospital, 5 Hospital
        [Quevix Medical Center], [Quevix Med Ctr], Quevix medical center, [Quevix Medical Group]
        [Quevix Rehabilitation Hospital], [Quevix Nursing Home]
        Quevix¶Hospital
        The [Quevix Hospital], [Quevix's Hospital]
        [University Quevix Hospital], [Memorial Walnut Hospital]
        Last Hospital, Stomach Hospital, [Old Walnut Hospital], [Ana Hospital]
        Quevix One Two Three Four [Five Hospital]
        University of [Quevix Hospital], the [University Quevix Hospital], of [Quevix Hospital]
        The [St Quevix Hospital], Memorial of [Quevix Hospital]
        university [Quevix Hospital], regional [Memorial Quevix Hospital]
        [Seen Memorial Quevix Hospital]
        [Quevix Memorial Hospital], [Quevix Clinic] of Dunmore One Two Three Four
        [Quevix Hospital] of Dunmore One Two, [Quevix Hospital] of dunmore
        [Quevix Hospital] of, [AB Hospital], [ABCDE Hospital], [ABCDEF Hospital], PAIN Hospital
        THE Hospital, [Ed Hospital], [Fey Hospital]
        [Quevix Rehab], [Walnut Rehab], Pain Rehab, Foods Hospital, [Broken Hospital]
        Bleeding Hospital
        [Summer Hospital], Summer Clinic
        Lungs Hospital
        Ask Hospital staff
        [ACHES Hospital]
        ABODES Hospital
        [Quevix Clinic] System down
        [Quevix Hospital] at
    """,
    "hospital_of": """
        [University Hospital of Yarabrook], hospital of Yarabrook, Hospital of yarabrook
        [Community General Hospital of Yarabrook], Quevix [Hospital of Yarabrook]
        general [Hospital of Yarabrook]
        [Clinic at Yarabrook], [Hospital of  Yarabrook], [Infirmary of Dunmore Mills], Clinic of Pain
        Hospital  of Yarabrook
        [Infirmary of Dunmore Mills Lake] Hill, [Clinic at Yarabrook Dunmore Yarabrook] Mills
        Hospital of the Yarabrook, Hospital of Yarabrook One Two, Hospital for Yarabrook
    """,
    "hospital_indicator": """
        after prenatal diagnosis (PND), seen at PND
        a teaching hospital (NEGH), seen at [NEGH]
        at [QXH], at [QX], at Q, at [QXHABC], at QXHABCD, at qxh
        at QXH-1, at QXH/2, at QXH 3, at QXH MA, at QXH of, at QXH level
        transferred one two three four to [QXH]
        transferred one two three four five to QXH
        from QXH, seen in [QXH], to [QXH]
        at ICU, at MRI, at HOME
        at QXH.5, at [QXH]. Then
        at [QXH] levels, at [QXH] often, at QXH level, at QXH of, at [QXHABC], in QX, from QX to qx
        admitted from [QXH], presented in [QXH] today
        admitted at
    """,
    "profession": """
        is a [retired machinist], worked as an [engineer], employed as machinist
        a machinist, is a machinist
        [retired machinist], semiretired machinist, retired as a [machinist]
        retired as an [engineer], retired a machinist
        being an [engineer], being a [machinist], wellbeing a machinist, serving as a [machinist]
        she is a [machinist], he is an [engineer]
        worked as a [machinist], work as a [machinist], works as an [engineer]
        working full time as a [machinist], worked part-time as a [machinist]
        homework as a machinist, occupation: [machinist], occupation:[machinist]
        Occupation  :  [machinist], occupation is a [machinist]
        occupation  is an [engineer], preoccupation: machinist, became a [machinist]
        became an [engineer], employed as a [machinist]
        career as an [engineer], former a [machinist], job as a [machinist]
        job as a [retired machinist], became a [former machinist]
        became a self-employed [machinist], unbecame a machinist, became a tall machinist
        67-year-old [machinist], 67 year old [machinist]
        [RETIRED machinist], Worked as a [machinist], retired machine, a machinist
        preoccupation is a machinist, semiretired as a machinist
        Occupation:                             [machinist]
        Occupation:                              machinist
    """,
    "employer": """
        employer: [Quevix Foods], works at [Quevix Brothers], employed by [Ramirez Foods]
        works for Pain
        employer: [Quevix Foods], employer:[Quevix Foods], employer  :  [Quevix Foods]
        work at [Quevix Foods], works for [Quevix Foods]
        working with [Quevix Foods], worked hard at [Quevix Foods]
        works very hard by the [Quevix Foods], works one two three for Quevix Foods
        insurance: [Quevix Foods], insurer = [Quevix Foods], works at [Quevix One Two Three] Four
        works at quevix foods
        works for [Quevix] at night
        works for [Academy Sports Outdoors] Plus
        works for [Advance Auto Parts]
    """,
    "repeated_name": """
        Dr. [Quevix] and [quevix]; Dr. Xu and Xu
        Dr. [Quex], quex; Dr. Will, Will
        Dr. [Quevi] and [quevi]; Dr. [Quev] and quev; Dr. [Nyx], [Nyx]
        [Everard] van [Tijlen] came. [Tijlen] left
        Dr. [Young]; [Young] agrees
        Dr. Bell rang the bell; Bell agrees. Dr. Young is young; Young agrees
        wife Rice and Rice, rice; Dr. Walnut; Walnut trees
        Mr. Foley and Foley
    """,
    "repeated_place": """
        lives in Reading; Reading glasses
        [Zimmstraboro], MA. An MA
        at [Quevix Hospital of Dunmore]; [Quevix Hospital of Dunmore]
    """,
    "old_age_before": """
        age [90], age 89, he is [125], he is 126, she is a [99], patient is an [101]
        he is 95.5, he is 95/6, he is 95 mg, he is 95-mg, he is 955
        age  [95] and he is¶[95]
        the 95
        page 95, she is in bed 95, bag 95
    """,
    "old_age_after": """
        [90] yo, 89 yo, [125]yo, 126yo, [119] y.o., [120] yrs old, [99]-year old, [99] - year-old
        [95]yof, [95] ym
        [95] yo f, [95]y/o, [95] yrs of age, [95] year of age, 95 years
        .95 yo, 3/95 yo, 3-95 yo, 395 yo, 95 yolk
        [95] years old, [95] year old, [95]years old, [95]-years old, [95] -year old, [95]- year old
        95 -  year old
        [95] yrs old, [95] yr old, [95] yr. old, [95]yrs.-old, [95] yearold, 95 years  old
        [95] years of age, 95years of age, [95] yr of age, [95] yrs of ages
        [95]y.o., [95]-yo, [95] y/o, [95]-y/o, 95  y/o, [95] y o, [95] y. o., [95]y/ox
        [95]yrs/o, [95] yrs o, [95]yr/o, [95] yro, 95 yrox, 95  yro
        [95]yom, [95] yof, 95  yom, 95yomx, [95]ym, [95] yf, 95  yf, 95ymx
        [95] yo/m, [95]y.o. m, [95]y.o./f, [95] yo / m, [95]yo/mx
        [95]yom, [95] yof, [95]y.o.m, [95]yo m
    """,
    "age_before": """
        age of [9], ages [12], ages: [12], Age/sex: [45], aged [0], age: [125], age 126, age	[45]
        age 4.5, age 45%, age 45 mg, age 12 wks, age 12-months
        age 455, page 45
        age 45 hour, age 45 day, age 45 week, age 45 month, age 45 mo, age 45 wk, age 45 unit
        age 45 hours, age 45 days, age 45 weeks
        age 45 months, age 45 mos, age 45 units, age 45-mo, age 45 kg, age 45 lb, age 45 lbs
        age 45 cm, age 45 mm, age 45 bpm, age 45 ml
        age [45] mow, age [45] dayton, age [45]  mg, age 45kg, age 45.5, age 45/5, age [45]. Seen
        age 45%
        age  [45], aged 		[45], age 45 MG, age 12 Weeks, plan 45
        Age                     [45]
        Age                      45
    """,
    "age_after": """
        [1]yo, [0] yo, [89] yo, 90 yo, [8] yr old, [8] yrs. old, [8]-yr-old, [8] years of age, [8] y.o
        [8]yom, [8] ym
        8 years, 8 young, 8 yorks, 188 yo, 4.8 yo
    """,
    "age_of_life": """
        diagnosed at [45], onset at [12], menopause at [51], deceased at [0], living at [125], died at 126
        died at 45:1, died at 45 mg, died  at 45, studied at 45
        Died at [45], ALIVE AT [45], dieted at 45
    """,
    "age_decade": """
        her [20's], early [30s], their [90s], late [10s]
        his 05s, his 60st, his 60, the 60s
    """,
    "age_in_words": """
        [one] year old, [thirty-two] years of age, [nineteen]-year-old, [twenty] year old
        [sixty two] year-old
        ten years, twelve years ago, threeyear old
        [three] year of age, three years older, three years of ages
    """,
    "age_and_sex": """
        mCi of Technetium 99m MDP; Tc-99m
        [67]/M, [67]F, [67]m, [67] male, [67] female, [67] year male, [67] yr female
        [93]F, 94F, [94]/F, [94]M, [95] female
        [7]M, 0M, 100M, 67MX, 67M/4, 67M.5
        temp 37 male, T 38F, tmax of 38M, T: 38M, fever to 39M
        .67M, 3/67M, 3-67M
        at [67]F, patient [67]F, fever gone: [67] male, temperature: 38F, temperature of 38F, Temp 38F
        Temp                    67F
        Temp                     [67]F
    """,
    "age_after_birth": """
        DOB 3/13/59 ([42]), born 03/13/1959 ([67] yo), birth 3/13/59 ([119]), DOB 3/13/59 (120)
        DOB: 3/13/59 (42 mg), DOB 3/13/59([42])
        DOB¶3/13/59 (42)
        stillborn 3/13/59 (42), births 3/13/59 (42), born 3 ([42]), born 3/13/59 (x) and (42)
        DOB 3/13/59 ([4])
        born in Salem on the first of May 1959 ([67])
        born in Boston on the first of May 1959 (67)
    """,
    "medical_record_number": """
        MR #[4471902], MR: [4471903]
        Medical record number [4471902]; med rec no. [99120]; Medical records [99121]
        Hospital no [698837], Unit no: [4471902], Unit #[447-19]
        Patient id [4471902], Pt #[4471902], Pt id: [4471]
        Chart number: [99120], Record # [99120]
        hosp# [99120], hospital# [99120], unit# [99120], patient# [99120], pt# [99120], chart# [99120]
        record# [99120]
        MR 4471902 and chart 4471902 and record 12
        hospital 4471902, patient 4471902, pt 4471902
        the MRN from the Mercy Hospital is [4471902]
        MRN number: [4471902-3], MRN: 7, MRN: A1, MRN: [AB447].
        the record notes 12 visits, unit north 44719, MRN at home
        unit#[447190], unit #[447190], unit  #447190, unit no [447190], unit no. [447190]
        unit num [447190], unit number [447190], unit nodes 447190
        hosp #[447190], hosp no [447190], hospital num [447190], hospital  #447190, mr#[447190]
        mr # [447190], mr : [447190], mr 447190
        patient id [447190], patient #[447190], patientid 447190, pt id [447190], ptid 447190
        pt idea 447190, medrec 447190
        chart #[447190], chart no [447190], chart num [447190], chart notes 447190, record no [447190]
        record num [447190], record notes 447190
        med rec [447190], medical recs [447190], med records [447190], medical  record 447190
        med. rec 447190
        mrn nr [447190], mrn nr. [447190], MRN at Mercy is [447190], MRN at Mercy no [447190]
        MRN from the Mercy Hospital in Ames was [447190]
        mr#[447190], mr #[447190], mr  #447190, mrn [4A4], mrn [44], unit north 447190
        unit noted 447190
        chart noted 447190, record noted 447190, mrn:		[447190]
        MRN at Mercy of [12345] in ward no 447190
        MR# at Mercy Hospital was [4471902], MR# no. [4471903]
    """,
    "account_number": """
        account: [99120], acct [99120], acct. [99120], account# [99120], billing# [99120]
        Billing # [99120], billing no [99121], billing number [99122]
        fin: [99120], fin #[99121]
        billing 99120, fin 99120
        billing#[447190], billing #[447190], billing no [447190], billing num [447190]
        billing  #447190, fin:[447190], fin :[447190], fin  #447190
        acct [447190], acct. [447190], acct.# [447190], account [447190]
    """,
    "health_plan_number": """
        member id [99120], member #[99121], member no [99122], member number [99123]
        subscriber [99120], insurance id [99121], insurance # [99122], insurance no [99123]
        medicare # [99120], medicare no [99121], medicaid id [99122], medicaid# [99123]
        health plan [99120], group # [99121], group no [99122], group number [99123], beneficiary [99124]
        member# [99120], insurance# [99121], medicare# [99122], group# [99123]
        member 99120, insurance 99121, medicare 99122, medicaid 99123, group 99124
        group nodes 12345
        member id [447190], member #[447190], memberid 447190, member no [447190], member num [447190]
        medicare id [447190], medicare num [447190]
        medicaid no [447190], medicaid num [447190], insurance num [447190], group#[447190]
        group #[447190], group num [447190], group no. [447190]
        policy [447190], policy #[447190], policy no [447190], policy number is [447190]
        policy number: [447190]
        health  plan 447190, beneficiary [447190]
        group noted 447190
    """,
    "license_number": """
        licence [99120], lic [99121], lic. [99122], NPI [1234567890], DEA# [AB123]
        license [447190], licence no [447190], lic.[447190], dea [447190], npi [447190], dealt 447190
        licks 447190
    """,
    "device_number": """
        s/n [99120], SN: [99121], sn# [99122], device [99123]
        SN 99120, device A12
        serial [447190], serial no [447190], s/n [447190], sn:[447190], sn #[447190], sn 447190
        device [447190], device no 447190, device  447190
        device[447190], device [447190]
    """,
    "vehicle_number": """
        license plate [6MXB31], tag # [6MXB32], tag# [6MXB33]
        tag 6MXB31
        vin [447190], plate [447190], license plate [447190], tag#[447190], tag #[447190], vine 447190
    """,
    "id_number": """
        acc: [99120], acc #[99121], case # [99122], case no [99123], case number [99124]
        order # [99120], order no [99121], order number [99122], tracking [99123]
        specimen # [99120], specimen no [99121], specimen id [99122], protocol #[99123]
        document # [99120], document id [99121], document no [99122], document num [99123]
        dictation # [99120], dictation id [99121], dictation no [99122], dictation# [99123]
        dictation num [99124]
        transcription # [99120], transcription id [99121], transcription no [99122], transcription# [99123]
        encounter [99120], csn [99121], visit # [99122], visit id [99123], visit no [99124], visit num [99125]
        confirmation [99120], reference # [99121], reference no [99122], reference number [99123]
        ticket [99120], study # [99121], study id [99122], id: [99123], id #[99124]
        case# [99120], order# [99121], specimen# [99122], document# [99123], visit# [99124]
        reference# [99125]
        acc 99120, case 99121, order 99122, specimen 99123, protocol 99124, document 99125
        dictation 99120, transcription 99121, visit 99122, reference 99123, study 99124, id 99125
        case notes 12345, order now 12345, visit now 12345
        id:[447190], id #[447190], id  #447190, acc:[447190], acc #[447190], case #[447190]
        case no [447190], case num [447190], case node 447190
        order #[447190], order num [447190], order normal 447190, visit no. [447190]
        visit notes 447190, visit num [447190], study#[447190]
        case noted 447190, order noted 447190, protocol#[447190], protocol #[447190]
        visit noted 447190
    """,
    "record_shape": """
        [32-58-55] and 31-58-55
        306-58-55-41, x306-58-55, 306-58-55x, 1.306-58-55
    """,
    "long_number": """
        [1234567]. Seen, 123456 seen
        # [357905], #[357905], #35790
        1234567.5 and 1234567,5 and 1234567% and 1234567-8
        -1234567, .1234567, /1234567, a1234567
        [12345678901], [123456789012], [1234567890123456]
    """,
    "number_after_name": """
        Ruiz  [123456], Ruiz  12345
        ANA,   [12 34], Ana  [12 34 56]
        Ruiz  880162455 mg, Ruiz  880162455ml, Ruiz  880162455%
        Ruiz 880162455
           880162455
        9  880162455, Ruiz: 880162455
        Ruiz  880162455mg, Ruiz  880162455 ml, A  [880162455], ab,  [880162455]
        Ruiz             [880162455]
        Ruiz              880162455
        A  [880162455]
        Ruiz  [50 00], Ruiz  50 00 mg, Ruiz  50 00mg
    """,
    "line_number": """
        a¶b¶c¶d¶e¶f¶g¶h¶i¶[12345]
        a¶b¶c¶d¶e¶f¶g¶h¶i¶j¶12345
        Name¶[12345]¶end
        [12345]¶x
        ¶a¶b¶c¶d¶e¶f¶g¶h¶[12345]
        ¶a¶b¶c¶d¶e¶f¶g¶h¶i¶12345
    """,
    "slashed_code": """
        [AB12/34], [AB123456/12345678], [AB12:345D]
        AB1/34, AB1234567/34, AB12/3, AB12/34x, AB12/34D-2
        ABC12/34 A12/34
        bp12/34, BP 12/34, AB 12/34
    """,
    "username": """
        Ruiz, MD, [kw83]; Ruiz, MD [kw83]; Ruiz, RN ([kw83])
        typed by [kw83], user: [kw83], login = [kw83], T: [KW83]
        typist [kw83], Transcribed by: [kw83], user id [kw83]
        Ruiz, MD KW8 and Ruiz, MD kwxyz8
        by kw83-2
        typed by [k8], typed by [k83], typed by [ab1], typed by:   [kw83], typed by:[kw83], T: [k8]
        user [kw8]
    """,
    "footer_user": """
        [hpx950]/2266482705
        h950/2266482705
        Seen.¶[hp950]/2266482705 ¶end
        hp95012/2266482705
        x hp950/2266482705, hp950/226648, hp950/22664, hp950/2266482705 x
        Seen xhp950/2266482705
        [hp950]/226648
        [hp950]/2266482705
        hp950/2266482705 x
        x hp950/2266482705
        [hp950]/2266482705¶Seen
        [hp950]/2266482705  ¶¶Seen
        hp950/2266482705.¶Seen
    """,
    "footer_number": """
        hpx950/[2266482705]
        Seen.¶hp950/[2266482] ¶end
        h950/2266482705
        hp950/22664 and
        x hp950/2266482705, hp950/2266482705 x
        hp950/[226648]
        hp950/22664
        hp950/[2266482705]
        hp950/2266482705 x
        hp950/[2266482705]¶Seen
        hp950/[2266482705]  ¶Seen
    """,
    "date_mdy": """
        [1/2/61], [01/02/1961], [12/31/2061]
        [1-2-61] [1.2.61], 1/2-61
        1/32/2061, 0/3/61, 13/1/2061, 4/31/61, 2/30/61, [2/29/61]
        x-3/4/61, 5/3/4/61, .3/4/61
        3/4/61-5, 3/4/611, 3/4/1799 3/4/2261
        [3/4/'61]
        [1/31/61], [3/31/61], [5/31/61], [7/31/61], [8/31/61], [10/31/61], [12/31/61], 4/31/61, 6/31/61
        9/31/61, 11/31/61, [4/30/61], [11/30/61]
    """,
    "date_dmy": """
        30/2/61 [29/2/61]
        [31.12.2061], 32/1/61
    """,
    "date_ymd": """
        [2061-1-2], [2061.01.02]
        61/1/2, 61/13/02, 1799/01/02
    """,
    "date_ydm": """
        [2061-31-12]
        [61/31/01], 61/32/01
        2061/31/4
    """,
    "compact_date": """
        [20611231], 20611301, 20611232, 20610230, 18611231
        a20611231, 20611231-1, 206112310
        [20611130], 20611131, 20610931, 20610631, 20610431, [20610430], [20610228], [20610229]
        20610230, 20610132
    """,
    "month_and_day": """
        on [03-14], on 3-14
        Strength 3/11, BP 3/11, GRADE 3/11, seen On [3/11]
        by 10/10, seen 4/10 on [4/10], admitted [9/10]
        [3/14]/ and [3/14]. and 3/14.5 and 3/14x
        [3/14]: stable
        [02/05] noted
        5/6 strength, 5/6strength, was 3/14
        [3/30] and 2/30
        5/3/14, 3:5/14, 3/14 mg, 3/14 in
        grade 2/6, grades 3/6, reflex 2/4, reflexes 2/4, dtr 2/4, dtrs 2/4, apgar 8/9, rate 3/12, rated 3/12
        pulse 2/4, age 3/11, i/o 3/11, io 3/11, a/o 3/11, biceps 3/11, deltoid 3/11, quad 3/11, only 3/11
        > 3/11, +3/11, # 3/11, 3/11, 4/12
        3/11-tab, 3/11 tabs, 3/11 pill, 3/11 hour, 3/11 hr, 3/11 yrs, 3/11 %, 3/11 beer, 3/11 grains
        3/11 lobe, 3/11 x
        on [2/10], since [2/10], until [2/10], admitted [2/10], thru [2/10], appt [2/10], by 2/10
        2/2, 2/3, 2/4, 2/5, 2/6, 2/7, 2/10
        on [2/2] and on [2/6]
        3/11 strength, 3/11 tab, 3/11 tablet, 3/11 tablets, 3/11 pills, 3/11 cap, 3/11 caps
        3/11 mg, 3/11 mcg, 3/11 ml, 3/11 cc
        3/11 unit, 3/11 units, 3/11 hours, 3/11 hrs, 3/11 day, 3/11 days, 3/11 week
        3/11 weeks, 3/11 wk, 3/11 wks
        3/11 month, 3/11 months, 3/11 year, 3/11 years, 3/11 yr, 3/11 murmur, 3/11 systolic
        3/11 sem, 3/11 hsm, 3/11 diastolic
        3/11 pain, 3/11 of the, 3/11 pack, 3/11 ppd, 3/11 inch, 3/11 in bed, [3/11] inside
        3/11 cm, 3/11 mm, 3/11 ft, 3/11 dose
        3/11 scale, 3/11 motor, 3/11 throughout, 3/11 bilaterally, 3/11 b/l, 3/11 beers
        3/11 drink, 3/11 drinks, 3/11 percent
        3/11%, 3/11 +, 3/11x, [3/11] xray, 3/11 amp, 3/11 ns, [3/11] nsaid, 3/11 node, 3/11 nodes
        3/11 lymph, 3/11 positive
        3/11 vessel, 3/11 vessels, 3/11 lobes, 3/11 suture, 3/11 sutures, 3/11 rep, 3/11 reps
        3/11 nsr, 3/11 lpm
        3/11 liter, 3/11 liters, 3/11 l, [3/11] labs, 3/11 g, [3/11] gait, 3/11 kg, 3/11 lb
        3/11 lbs, 3/11 edema, 3/11 a day, [3/11] and
        3/11 way, 3/11 cup, 3/11 bottle, 3/11 strip, 3/11 strips, 3/11 set, 3/11 sets
        3/11 trial, 3/11 trials, 3/11 side, 3/11 sided
        3/11 ventilation, 3/11 peep, 3/11 rll, 3/11 lll, 3/11 areas, 3/11 adls, 3/11 iadls
        [3/11] gains, 3/11 grain, 3/11 symptoms
        3/11 domains, 3/11 items, 3/11 recall, 3/11 objects, 3/11 words, 3/11-tabs, [3/11]  tabs
        [3/11] visit
        BP 3/11, abp [3/11], pressure 3/11, strength 3/11, grades 3/11, scale 3/11, pain 3/11
        pulses 3/11, reflexes 3/11
        murmur 3/11, stage 3/11, score 3/11, apgars 3/11, apgar 3/11, gcs 3/11, rate 3/11
        rated 3/11, motor 3/11, power 3/11
        vision 3/11, va 3/11, od 3/11, os 3/11, ou 3/11, level 3/11, ratio 3/11, every 3/11
        q 3/11, x 3/11, age 3/11, ages 3/11
        times 3/11, peep 3/11, ips 3/11, vent 3/11, psv 3/11, simv 3/11, cpap 3/11, bipap 3/11
        insulin 3/11, position 3/11
        BP: 3/11, BP = 3/11, BP of [3/11], BP or [3/11], <3/11, 5/5, 3/11, 4/5 and [3/11], 4/5; 3/11
        4/5 or [3/11]
        since [5/10], on [5/10], admitted: [5/10], from 5/10, seen [5/11], dob [5/11], tip [3/11]
        subpain [3/11]
        xyz 2/2, xyz 2/3, xyz 2/4, xyz 2/5, xyz 2/6, xyz [2/7]
        SINCE [5/10], bison 5/10, date [5/10], dated [5/10], mason 5/10
        pulse 3/11, pulses 3/11, reflex 3/11, reflexes 3/11, dtr 3/11, dtrs 3/11, ao 3/11
        a/o 3/11
        3/11 TABS, 3/11 grins, [3/11] gains, 3/11 grains
        on [1/31], on [3/31], on 4/31, on [5/31], on 6/31, on [7/31], on [8/31], on 9/31, on [10/31]
        on 11/31, on [12/31], on [2/29], on 2/30
        pain on admission 4/10, labs of admission [4/11]
        Date: [3/4], on                      [3/4]
        Date: [3/4], on                       3/4
    """,
    "month_and_year": """
        [3/2061], [3-2061]
        3/61 and since [3/61], since [3-61]
        since 3/31, since [3/32], since [3/40]
        [3/1880] 3/1850 [3/2199] 3/2200
        since 3/61%, 13/2061, 3/2061/4
        on [6/95], from [6/95], until [6/95], till [6/95], date [6/95], dated [6/95], by [6/95]
        through [6/95], thru [6/95], of [6/95]
        before [6/95], after [6/95], as of [6/95], in [6/95], to [6/95], starting [6/95], started [6/95]
        last [6/95], due [6/95], seen [6/95]
        admit [6/95], disch [6/95], discharge [6/95], discharged [6/95], lab [6/95], labs [6/95]
        ct [6/95], exam [6/95], dob: [6/95]
        moon 6/95, unseen 6/95, 6/95 on
        since 3/61%, since [3/61], since [3/61]. Seen, since 3/61-, since 3/61.5
        [3/2061] and 13/2061, [3/2061]., [3/2061], seen, 3/2061-5, 3/2061/5, 3/2061.5
    """,
    "day_month_year": """
        [3rd March], [2nd of Feb 61], [21st-Dec-2061]
        31 June, [30 June], [3 of March]
        3 march, [3 march 61], 12 jan
        3 may, [3 May], [3 december]
        3.4 May, 3/4 May, 2-3 May
        [3 March] 61/2
        [3 March2061], [3 March 2061], [3 March, 2061], [3March61], [3-Mar-61], 31 April
        30 Feb; [30 April]; 3 Marching
        [03Mar2061], [3 March,2061], [03 Mar61], [3Sept1999], 03Mar4567, 03Mar206, 03Mar20611
    """,
    "month_day_year": """
        [March 3-5], [Mar. 3], 61
        [Dec 31 2061], [Dec. 31, '61]
        march 3, dec 3, [december 3]
        [May the 4th], May 4.5, May 4:30, May 4%
        May 40, [May 31], June 31
        jan 3 mg, December 3 mg
        [May 3 - 5], [May 3] - 50/2
        Janus 3, [January 3], Jan3, [Jan 3], [Jan-3], [Jan. 3], March 3mg, March 3 mg, [March 3] mgx
        March 3 units, [March 3] unitsx, Mayor 3
        [Sept 3], [September 3], [Sep 3], [Jan 3,2061], [Jan 3, 2061], [Jan 3 2061], [Jan 3-2061]
        Jan 3/2061, [Jan 31], Feb 30, Apr 31
        [Jan.3], [Mar.12, 2061], [Jan.the 3rd]
    """,
    "month_of_year": """
        [March 2061], [March, 2061], [mar-61], [Mar/2061]
        march 61, [March '61], [mar 1999]
        March 20611
    """,
    "month_alone": """
        THIS MAY BE IMPORTANT
        since [MAY]
        In [June], by may
        the [June] visit
        before [May], late [Dec]
        May, in [May], Jun, in [Jun], [June], in [June], [July] was hot, [Sept] was hot, Jan was hot
        Sep was hot, in jun
        OCT of the macula, Oct was hot, in [Oct], Jul, since [Jul]
    """,
    "ordinal_day": """
        by the [31st]. by the 32nd.
        on the [1st] and on the 0th.
        on the [2nd] with pain, on the 3rd floor
        on 3rd. the 3rd.
        on the [3rd]., On the [3rd], salon the 3rd., from the [3rd] and, on the cold 3rd., the 3rd.
        on the 32nd., 3rd.
        on the   3rd.
        on the [3rd]¶until then
        by an on the [3rd], on the, 3rd.
        th or the 3
        on the 3¶rd.
    """,
    "weekday": """
        [Mondays], [Weds] and fri
        last [Sun], next [Sat]. by [Sat]
        [Sat], 3/4 and [Sun] 3/4/61
        sat 3/4, Sun 12
        [Sat] 3/14, [Sun], 3/14, Sat 3/144, [Sat] 3/14/61, on [Sat], Sat down
    """,
    "season": """
        [spring 2061], [fall '61], [winter of 1999]
        this [summer], the [autumn], a winter, summer
        summer of 20611
    """,
    "holiday": """
        Christmas disease; at [Christmas]
        [Christmas Eve], [Easter], [St. Patrick's Day]
        [Labor Day], labor day, christmas
        [New Year], [New Years], [New Year's], [New Years Eve], [New Year Day], [New Year's Day]
        [Valentine's Day], [Valentines Day], [Mothers Day]
        [Mother's Day], [Father's Day], [Fathers Day], [St. Patrick's Day], [St Patricks Day]
        [Presidents Day], [Presidents' Day], [Patriots Day]
        [Patriots' Day], [Christmas], [Christmas Eve], [Christmas Day], [Thanksgiving], [Thanksgiving Day]
        [Xmas], [Easter], Easterly, Christmassy
        [MLK Day], [Fourth of July], [Diwali], [Yom Kippur], yom kippur, christmas, [Mothers day]
        new year
        Mother was here on a Day, Diwalis, Memorial Days, Day, Eve
    """,
    "decade": """
        [1880s], [2010s], [2110's], '[70s]
        80s, 1780s, 2210s, 1995s, 11990s
        a room of 2000sq ft, the '90sec test, 1990sx
    """,
    "year_beside_event": """
        surgery a b c d e [1953]
        surgery a b c d e f 1953
        [1953] a b c d e surgery
        1953 a b c d e f surgery
        surgery¶1953
        MI 1879, MI [1880], MI [2199], MI 2200
        MI 1953 mg, MI 1953%, MI 1953:2, MI 1953-2, MI $1953, MI #1953
        MI 1953/2, MI 1953,2, MI [1953], MI [1953].
        retired in the city [1953], born [1953], flu shot [1953], echo [1953], tkr [1953]
        [1953]¶surgery
        Seen¶surgery [1953]
        ¶MI [1953]
    """,
    "year_after_preposition": """
        from [2061], in early [2061]
        in 1999 units, in 12999
        in¶1999
        in [1999]¶units of blood
        in 1999 units
        in [1999]
        in [1999]¶units, in 1999 mg
    """,
    "year_in_parentheses": """
        (1999
        1999)
        (1879) ([1880])
        ([2061]) cholecystectomy
    """,
    "phone_with_area": """
        [617.555.0148], [617-555 0148], [617 555-0148], [(617)555-0148]
        617-555-01489 617-555-0148-1 2-617-555-0148
        1-[617-555-0148], [617- 555-0148], [617-555 - 0148]
        [617-555-0148, ext. 12], [617-555-0148 ext 123456]
        [617-555-0148x12], [617-555-0148 EXT 12], [617-555-0148,x12], [617-555-0148 x12]
        fax 617-555-0148, fax is broken: call [617-555-0148]
    """,
    "fax_number": """
        fax [(617) 555-0148], facsimile: [617-555-0148]
        f: [617-555-0148]; F [617-555-0148]
        fax 1-[617-555-0148], office fax #: [617-555-0148], fax number here: [617-555-0148]
        half 617-555-0148, fax¶617-555-0148
        fax:  [617-555-0148], fax:[617-555-0148], fax: [(617) 555-0148], FAX [617-555-0148]
        fax is broken: call 617-555-0148
        Fax                           [617-555-0148]
        Fax                            617-555-0148
    """,
    "local_phone": """
        [555-0148 x12], [555-0148, ext 12]
        555-01489, 555-0148-1, 555-0148.5, 1-555-0148, 12 555-0148
        555-0148 ml, 555-0148 cells, 555-0148mg
        #555-0148, no. 555-0148, id: 555-0148, acc 555-0148, acct# 555-0148
        MRN 44 and [555-0148]
        piano [555-0148], no 555-0148, no. 555-0148, xmrn [555-0148], mrn 555-0148, mrn: 555-0148
        paid [555-0148], id 555-0148, id: 555-0148
        vacc [555-0148], acct 555-0148, accession: 555-0148, [555-0148] mlb, 555-0148 ml, # 555-0148
    """,
    "spaced_phone": """
        tel: [555.0148], call ([5550148], cell [6175550148]
        home phone is [555 0148], work # [555 0148]
        phone 555 01489, phone 55501481, phone 5550148-2
        recall 555 0148
        phone¶555 0148
        tel [5550148], mobile [5550148], contact [5550148], home [5550148], office [5550148]
        ph [5550148], reached at [5550148], number [5550148]
        telephone.: [5550148], telephone :: [5550148], phone (( [5550148]
        call Ana; 555 0148
        PHONE [555 0148]
    """,
    "pager": """
        pg [12345], beep #[1234], pager number [12345], pager is [617-555-0148], bpr: [5-1234]
        Vocera [1234], cisco [(617) 555-0148], paged at [4567]
        pager no. [12345], pager# [12345], pager:[12345]
        pager 123, pager 12345678, pager 12/14, pager 1234/5, page 12
        pager no [12345], pager no. [12345], pager [555-0148], pager [617-555-0148]
        pager [(617) 555-0148], pager [617555-0148], pager [12-345]
        pager 12-34, pager [1-2345], pager 12345/6
    """,
    "extension": """
        [x1234], [x1-2345], X [12345], x123, x1234567
        ext [12], ext. [123456], extension: [4567], ext:[5896]
        ext 1, ext 1234567, ext 12/14
        x1234%, x1234/2, x1234.5
        [x12345], ext [12], ext. [12], extension [1234], x [1234]
        x [2-4567], X [2-4567], ext.[12]
        [x2-4567], [X1234]
        call [x12345]. Home ext. [12].
    """,
    "ssn": """
        a123-45-6789, 123-45-6789-1, 123-45-67890, 1-123-45-6789
        [123-45-6789].
    """,
    "labelled_ssn": """
        ssn: [123 45 6789], SS number [6789], social security: [123456789]
        ssn [xxx-xx-6789], SSN [***-**-6789], ssn last four [6789], ssn ending in [6789], SSN last 4 [6789]
        SSN number #: [6789]
        ssn 678, ssn 67890, social 6789, SS: 12
        ssn no [123-45-6789], SSN no. [123-45-6789], ssn:[123-45-6789], ssn#[123-45-6789]
        social security number [123456789], ss [6789]
        ssn 123-45-678, ssn ending in [6789], ssn last 4 [6789]
    """,
    "email": """
        [a.b+c-d@x-y.org], a@b, @b.org
        @, [a@b.org], @b.org
        @b.org and [a@b.org]
    """,
    "url": """
        [https://a.b/c?d=e], [www.a.b/c], [a.b.gov], [a.edu/b.c/d]
        ([http://a.b/c]), [organ.com], a.comb
        see --[mercy.org], [MERCY.ORG], [HTTP://A.B/C], a@mercy.org, ab@cd.mercy.org, see [mercy.org]@
    """,
    "ip_address": """
        [255.255.255.255], [0.0.0.0], [249.250.199.200], 256.1.1.1
        1.2.3.4.5, [1.2.3.4]., 11.2.3.456
    """,
    "footer_initials": """
        Seen.¶[JRM]:[abc]
        Seen.¶[ab]/[cd]/123 D 3/4/61
        Seen.¶JRM/abc¶Well.
        Seen.¶[JRM]/[abc]¶cc: Ruiz
        Seen.¶[JRM]/[abc]¶dictated
        Seen.¶J/abc¶D: 3/4/61
        Seen.¶JRMXY/abc¶D: 3/4/61
        Seen.¶JRM/abcde¶D: 3/4/61
        Seen.¶ [JRM]/[abc]  DD: 11/17/18
        Seen! [JRM]/[abc] D 11/17/18
        x JRM/abc D 11/17/18
        Seen.¶JRM/abc x
        [JR]/[ab]¶DD: 3/14/61
        [JRM]/[AB]¶DD: 3/14/61
        [jr]/[ab]¶dictated
        [JR]/[AB]/1¶DT: 3/14
        JR/ab rest¶DD
        [JR]/[ab] D: 3/14/61
        [JR]/[ab]:12¶cc
        JR/ab¶DDX
        JR/ab¶jobs
        [JR]/[ab]¶JOB
        [JR]/[ab]¶Dictated
        Seen. [JR]/[ab]¶copies
        x JR/ab¶cc
        J/ab¶cc
        JRMXY/ab¶cc
    """,
    "name_over_address": """
        Mr. [Ana Ruiz]¶12 Elm Street
        [quevixo trillo]¶12 elm street
        Ana¶12 Elm Street
        Ana Bea Cia Dea Eva¶12 Elm Street
        [Ana Bea Cia Dea]¶12 Elm Street
        [Ana Ruiz]¶12a Elm St
        Ana Ruiz¶1234567 Elm St
        [Ana Ruiz]¶123456 Elm St
        [Ana Ruiz]¶12 One Two Three Four St
        Ana Ruiz¶12 One Two Three Four Five St
        Ana Ruiz¶12 Elm
        [Ana Ruiz]¶PO Box 12
        [Ana Ruiz]¶p.o.box 12
        Ana Ruiz¶¶12 Elm St
        blood pressure¶12 Elm St
        [Will Ruiz]¶12 Elm St
        Seen with Ruiz¶12 Elm St
        [J. O'Hara-Ruiz]¶12 Elm Ct
        [Ana Okafor]¶1 Elm Street
        [Ana Okafor], MD¶12 Elm Street
        [Ana Okafor] MD¶12 Elm Street
        [Ana Okafor], M.D.¶12 Elm Street
        [Ana Okafor], DO¶12 Elm Street
        [Ana Okafor], D.O.¶12 Elm Street
        [Ana Okafor], RN¶12 Elm Street
        [Ana Okafor], R.N.¶12 Elm Street
        [Ana Okafor], PhD¶12 Elm Street
        [Ana Okafor], NP¶12 Elm Street
        Professor [Ana Okafor]¶12 Elm Street
        Doctor [Ana Okafor]¶12 Elm Street
        [Ana Okafor], Ph.D.¶12 Elm Street
        To [Ana Okafor]¶12 Elm Street
        To: [Ana Okafor]¶12 Elm Street
        To:  [Ana Okafor]¶12 Elm Street
        Mr.  [Ana Okafor]¶12 Elm Street
        12 Ana Okafor¶12 Elm Street
        Ana Okafor¶12 Elm Streets
        Ana Okafor¶12 Elm Streetlight
        [Ana Okafor]¶PO Box 12
        Ana Okafor¶12 Elm trails
    """,
    "name_in_page_head": """
        [QUEVIXO]  1/2/61
        QUEVIXO 1/2/61
        [QVX]  1/2/61
        QV  1/2/61
        [QUEVIXO]  1/2/61  p. 2
        QUEVIXO  1/2/61 p
        QUEVIXO  111/2/61
        QUEVIXO  1/2/6
        QUEVIXO, A. 1/2/61
        [QUEVIXO, ANA B.]  1-2-2061
        [QUEVIXO,ANA]  1/2/61
        Page 1	[QUEVIXO]  1/2/61
        A  QUEVIXO  1/2/61
        [OKAFOR, ANA B]  3/14/2061
        [OKAFOR, ANA B.]  3/14/2061
        AB  [OKAFOR, ANA]  3/14/2061
        A  OKAFOR, ANA  3/14/2061
        ab OKAFOR, ANA  3/14/2061
        OKAFOR, ANA  3/14/2061 seen
        [OKAFOR, ANA]  3/14/2061  seen
        OKAFOR, ANA  3/14/20611
        Seen¶[OKAFOR]  3/14/61¶x
        ¶[QUEVIXO]  1/2/61
    """,
}
