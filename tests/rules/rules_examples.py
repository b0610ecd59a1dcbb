"""Every rule with what it finds and what it must not: each line is a note, with what the rule
finds between brackets; ¶ ends a line. Names and numbers are invented."""

EXAMPLES = {
    # names.py
    "doctor_title": """
        Seen by Dr. [Ruiz] today.
        seen by dr. [Brown], then by Mr. Haddad's dr; Elm dr, Boston
        Drs. [Nowak] and [Lindqvist] agree.
        Discussed with Doctor [Ana Moreau].
        The doctor was called.
        Walnut Dr is near; take the second left.
    """,
    "patient_title": """
        Mr. [Okafor] slept well.
        Mrs. [Ana van der Berg] and Ms. [Will] arrived.
        MS changes were noted.
        MS Progressive weakness was noted.
        Rhythm: SR Metoprolol 50 mg daily.
        The miss rate was low.
    """,
    "credential": """
        [Bryan J. Ruiz], M.D.
        Seen by [Okafor], PA-C at bedside.
        PER RN, PER MD
        She has been well, RN present.
        No pain. MD aware.
    """,
    "doctor_field": """
        Attending: [Ana Lindqvist]
        ANESTHESIOLOGIST:  [C. Do]
        PCP: [Nowak, Jan], seen
        Dictated by [Haddad]
        Attending: pending
        seen by the team
    """,
    "patient_field": """
        Patient Name: [RICE,ANA]
        Pt: [Yoshita Haddad] DOB 3/4/61
        Patient: alert and oriented
        Name of drug: warfarin
    """,
    "relative": """
        His wife [Leila] visited.
        [Philip] (brother) visited; her son, [Leo Nowak], called.
        The health care proxy is [Ana].
        Her mother had diabetes.
        His wife Will be here soon, and will stay.
    """,
    "staff": """
        nurse [Ana Nowak] called
        PCP is [Lindqvist].
        The nurse called.
        Resident, Hospital service
    """,
    "other_title": """
        Rev. [Ramirez] visited.
        Captain [Nowak] is retired.
        Father had a stroke.
        Sister with diabetes.
    """,
    # people.py, names by lists
    "surname_comma_first": """
        [RUIZ, ANTONIO M]
        cc: [Nowak, Patricia]
        Lives with Maria, Antonio and Patricia.
        Pain, Fever
    """,
    "first_and_surname": """
        [Patricia Nowak] came in.
        Spoke with [William B. Haddad] today.
        Patricia came in.
        Grade II Keith-Wagener changes
    """,
    "initials_surname": """
        seen by [J. Ramirez]
        [B.M. Ramirez] wrote
        Seen by [M. Smith].
        Called [J Anderson] at home.
        spoke with [R.L. Foley].
        E. coli grew.
        1. Lines:¶A. Foley to gravity.
        [A. Smith] wrote.
        B. Thomas splint
        Vitamin A Deficiency
    """,
    "surname_prefix": """
        seen with [O'Malley] today
        Ms [van der Berg] came
        then [Mc Donald] called
        [Everard van Tijlen] visited.
        Cafe au Lait, Gilles de la Tourette
        Torsades de Pointes, Cri du Chat
        de novo mutation
        The 5 o'clock position
    """,
    "popular_name": """
        [Jennifer] called back.
        then [patricia] visited
        Will start in May; Ray of light.
        Thomas splint applied
    """,
    "clear_first_name": """
        Then [Latoya] left.
        [Yesenia] was here.
        Sugar and Candy avoided.
        Latoya clamp in place
    """,
    "popular_surname": """
        [Smith] was seen in clinic.
        Discussed with [Jackson] and [Anderson].
        [NELSON] agrees.
        Smith fracture, Thomas test and Jackson-Pratt drain
        Brown sputum, White count 9, Young man
        smith was seen
        COX inhibitor; LEE score
    """,
    "clear_surname": """
        [Ramirez] agrees.
        Spoke to [Gutierrez] again.
        Brown sputum, White count 9
        Ramirez forceps
        Cottle elevator was used. The Westcott scissors.
        Nezhat-Ramirez. All instruments
    """,
    "misspelt_name": """
        [Willaim] visited.
        [Elizabteh] is his aunt.
        Malaria and Warfarin
        willaim written small
    """,
    # locations.py
    "street_address": """
        at [884 Roubert City Ct] now
        Lives at [12 Walnut Street, Apt 4]
        20 mg of Street drugs
        5 Views of the hip
    """,
    "post_box": """
        Mail to [P.O. Box 1123] please
        [PO Box 77], Dunmore
        Ice box 12
        PO intake 120 cc
    """,
    "street_by_name": """
        found on [Walnut Street]
        fell on [Elm Street] today
        off [Ramirez Parkway]
        across the street
        Busy Street sounds, busy day
    """,
    "zip_code": """
        Dunmore, PA [18512]
        State MA [02114-1234]
        WBC 12000
        platelets 18512
    """,
    "city_before_state": """
        She lives in [Dunmore], PA 18512.
        moved from [Zimmstraboro], MA
        Nowak, MD
        Pain, OR fever
    """,
    "state_abbreviation": """
        Boston, [MA] in May
        San Diego [CA] 92101
        Ramirez, MD
        pain OR fever
    """,
    "state": """
        born in [Vermont]
        [New York] native
        New York Heart class II
        vermont cheese, no Virus
    """,
    "country": """
        back from [Portugal]
        born in [Sri Lanka]
        turkey sandwich
        Chad visited today
    """,
    "clear_city": """
        drove to [Minneapolis]
        family in [Santa Barbara] now
        Santa Barbara tube placed
        Reading glasses; OSH records
    """,
    "place_indicator": """
        lives in [Zimmstraboro] with his wife
        she comes from [catonsville]
        visiting from [chicago]
        SHE LIVES IN [BOSTON]. HER SON IS VISITING FROM [CHICAGO].
        lives in [boston], born in [san diego], came to [phoenix]
        returned to normal, lives in center, RETURNED FROM CT, lives in town
        She returns to [Yarabrook] next week.
        lives in a house
        came from Home, moved to ICU
    """,
    "place_by_neighbour": """
        hiking at [Lake Todwood]
        a week on [Cape Cod] and at [Lake Placid]
        near [Yarmouth Harbor]
        a Lake of fluid
        Mount the specimen; Los 12 days
    """,
    "room": """
        in room [1028A]
        moved to bed [12]
        in the room 5 minutes
        bed rest, room air 98%
    """,
    # hospitals.py
    "hospital_list": """
        seen at [Massachusetts General Hospital]
        [BIDMC] records
        St. Jude valve
        R-CHOP given
    """,
    "hospital_head": """
        at [Lakeview General Hospital] in May
        [St. Tamstead Medical Center] was full
        Hospital Course: stable
        Pain Clinic; Cardiology Clinic
    """,
    "hospital_of": """
        at [University Hospital of Dunmore]
        seen at [Hospital of Yarabrook]
        Hospital of origin
        Clinic of the day
    """,
    "hospital_indicator": """
        labs drawn at [NEGH] today
        transferred from [QXH] last night
        admitted to ICU
        transferred to the floor, seen in ED
    """,
    # dates.py
    "date_mdy": """
        on [3/4/2061] and [12-31-61]
        DOB [02.28.2019]
        ratio 3/4/5
        on 13/45/2061
    """,
    "date_dmy": """
        on [25/12/2061]
        [31.01.61] noted
        99/12/2061
        31/31/31
    """,
    "date_ymd": """
        Record date: [2067-05-03]
        [61/05/03] seen
        14-3-3 protein
        2067-13-40
    """,
    "date_ydm": """
        seen [2061/25/12]
        [61/25/12] seen
        2061/45/12
        14-30-3
    """,
    "compact_date": """
        file [20610304] sent
        dated [20191231].
        MRN 30610304
        20611304
    """,
    "month_and_day": """
        seen on [3/14]
        labs [10/19]: Na 140
        strength 5/5, pain 3/10
        BP 120/80, take 1/2 tab
    """,
    "month_and_year": """
        colonoscopy [4/2068]
        since [6/95]
        O2 2/100
        score 6/95
    """,
    "day_month_year": """
        on [17 March 2061]
        [3-Mar-61] and the [3rd of March]
        5 may be given
        32 March
    """,
    "month_day_year": """
        on [March 3rd, 2061]
        seen on [february 3rd] at home
        [Jan. 3] to [Feb 12]
        may 5 mg be given
        March 45
    """,
    "month_of_year": """
        in [March of 2061]
        [Mar '61] and [June, 2061]
        march of time
        May 500 units be given
    """,
    "month_alone": """
        in [March] again
        since [September]
        May return to work
        March
        March of symptoms
        sep for septum, to march on
    """,
    "ordinal_day": """
        on the [3rd].
        until the [21st] at home
        the 1st metatarsal
        on the 3rd toe
    """,
    # dates.py, days and years
    "weekday": """
        seen [Tuesday]
        on [Sat] and [Fri]
        O2 Sat 98%
        out in the Sun
    """,
    "season": """
        [summer of 2061]
        last [winter]
        a fall at home
        spring water
    """,
    "holiday": """
        before [Thanksgiving]
        on [New Year's Eve]
        a new problem
        memorial service, good day
    """,
    "decade": """
        in the [1990s]
        the '[80s]
        BP 80s systolic
        in 1990 sutures
    """,
    "year_beside_event": """
        cholecystectomy, [1953]
        MI in [2001], then CABG [2003]
        WBC 1953
        furosemide 2000 mg after surgery
    """,
    "year_after_preposition": """
        since [1998] he smokes
        in [2061] then
        in 1500 ml
        weighs 2001
    """,
    "year_in_parentheses": """
        bacteremia ([2032])
        Paris ([1999]) trip
        (12000)
        (1200)
    """,
    # contacts.py
    "phone_with_area": """
        call [(617) 555-0148]
        [617-555-0148 x123] or [617 555 0148]
        617-555
        12617-555-0148
    """,
    "fax_number": """
        Fax: [617-555-0148]
        fax number [(617) 555-0148]
        phone 617-555-0148
        fax the note
    """,
    "local_phone": """
        call [555-0148]
        office [327-8850].
        500-4000 Hz
        MRN: 555-0148
    """,
    "spaced_phone": """
        phone [555 0148]
        call [5550148] today
        weight 555 0148
        5550148
    """,
    "pager": """
        pager [12345]
        beeper # [4-5678]
        page 3 of 4
        pager was lost
    """,
    "extension": """
        call [x12345]
        home ext. [5896]
        x3 days
        extension 46/60
    """,
    "ssn": """
        SSN [123-45-6789]
        [987-65-4321] on file
        123-456-7890
        12-345-6789
    """,
    "labelled_ssn": """
        SSN: [123456789]
        social security number [123-45-6789], SS# [6789]
        social work 123
        ss 12
    """,
    "email": """
        write to [p.raman@lakeview.example.org] please
        [a@b.co]
        3 @ 5
        name@
    """,
    "url": """
        see [http://www.example.org/a?b=1].
        at [lakeview.org/notes]
        organ.system
        visit the com
    """,
    "ip_address": """
        from [10.1.0.25]
        host [192.168.0.1] down
        10.1.0.256
        1.2.3
    """,
    # layout.py
    "footer_initials": """
        Seen and examined.¶[JRM]/[abc]¶D 11/17/18  T 04/26/21
        Seen.¶[AST]/[ADH]  D: 3/4/61
        Well.¶[ab]:[cd]/1234
        He is well. [AST]/[ADH] D 05/16/84  T 05/25/84 Copy: Ana Ruiz
        AST/ALT¶were normal
        Plan:¶AST/ALT
    """,
    "name_over_address": """
        05/30/2020¶[venceslas trillo]¶5900 Pinfold Way
        To: [Ana M. Ruiz]¶P.O. Box 12
        please report to¶12 Elm Street
        Seen today.¶2 weeks on the way
    """,
    "name_in_page_head": """
        Mercy Clinic  [QUEVIXO]  09/28/2016
        [RUIZ, ANA]	3/4/2061
        GLUCOSE  09/28/2016
        Quevixo  09/28/2016
    """,
    # identifiers.py
    "medical_record_number": """
        MRN: [4471902]
        Prior MRN at St. Odile Medical Center was [15 89 87]. He is well.
        Hosp #: [69-88-37], Patient ID: [4038 2983]
        MRN pending
        unit of blood 4471902
    """,
    "account_number": """
        Acct # [99120-7]
        account number [AC4471]
        on account of pain
        accountant 55
    """,
    "health_plan_number": """
        Policy #[PWL390399]
        Medicare ID: [1EG4TE5]
        group home 12
        Medicare pays
    """,
    "license_number": """
        license [Y7088294]
        DEA: [AB1234567]
        licensed in May
        license suspended
    """,
    "vehicle_number": """
        plate # [6MXB31]
        VIN [6MXBD31C8RZ236188]
        plate and 6 screws
        wine 2 glasses
    """,
    "device_number": """
        serial number [LYF312523S]
        device [188967]
        serial exams 12
        model 12345
    """,
    "id_number": """
        Accession [ZN076/2065]
        Job #[YY73:446062T]
        in any case 12
        job as a baker
    """,
    "username": """
        Ruiz, M.D. [kw83]
        Transcribed: [lr247497]
        MD aware
        by mouth x3
    """,
    "footer_user": """
        [hp950]/2266482705
        [BB98]/2235 2046 88
        BP120/80
        see hp950/2266482705
    """,
    "footer_number": """
        hp950/[2266482705]
        BB98/[2235 2046 88]
        BP120/80
        see hp950/2266482705
    """,
    "record_shape": """
        RUIZ [69-88-37]
        [306-58-55-4] here
        12-25-61
        69-88
    """,
    "number_after_name": """
        RUIZ, ANA   [880162455]
        Ana Ruiz  [4038 2983]  90 yo
        Na  140
        weight 880162455
    """,
    "slashed_code": """
        seen [SW9788/78]
        [CF48:729457D] here
        BP92/94
        T4/5 level
    """,
    "long_number": """
        [88016245] noted
        Ruiz #[357905]
        $88016245
        357905
    """,
    "line_number": """
        [2134132]
        [96-827]
        2134132 platelets
        1234
    """,
    # ages.py
    "old_age_before": """
        He is [97] and well.
        at age [90], patient is [101]
        She is 72.
        he is 97% on room air
    """,
    "old_age_after": """
        a [92]-year-old man
        [101] y.o., [99] years of age
        a 72-year-old man
        92 years ago
    """,
    "age_before": """
        Age: [67]
        at the age of [70], aged [93]
        stage 3
        age 3 months
    """,
    "age_after": """
        a [67]-year-old man
        [45] y/o and [54]yo
        45 years ago
        a 92-year-old man
    """,
    "age_of_life": """
        mother died at [72]
        father alive at [81]
        seen at 8
        died at 8:15
    """,
    "age_decade": """
        in her [60s]
        in his late [70s]
        BP in the 60s
        HR 70s
    """,
    "age_in_words": """
        a [fifty]-year-old man
        is [eighty-two] years old
        two weeks old
        fifty years ago
    """,
    "age_and_sex": """
        [67]M with pain
        [93]F with pain
        94F with chills
        Age/Sx [33]/F, and a [45] male
        Temp 37F
        mesh 4 F
    """,
    "age_after_birth": """
        DOB 03/13/59 ([42])
        born 3/13/1959 ([67] yo)
        on 03/13/59 (42)
        DOB 03/13/59, 42
    """,
    # occupations.py
    "profession": """
        is a [retired bus driver]
        works as a [machinist]
        told the bus driver
        retired early
    """,
    "employer": """
        Employer: [Sycamore Foods]
        works for [Ramirez Brothers]
        works for money
        insurance was denied
    """,
    # repeats.py
    "repeated_name": """
        Dr. [Quevix] called. [Quevix] agrees.
        wife [Leila] left; [Leila] is back
        Quevix agrees.
        The quest goes on: no Dr. here.
    """,
    "repeated_place": """
        lives in [Zimmstraboro]. [Zimmstraboro] is far.
        at [Quevix Hospital]; [Quevix Hospital] is full
        Zimmstraboro is far.
        lives in pain. In pain again.
    """,
}
