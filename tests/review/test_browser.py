"""The review page as people use it: in headless Chromium, against the real server on a free port."""

from __future__ import annotations

import re
import socket
import threading
import time
from pathlib import Path

import pytest

for package in ("fastapi", "uvicorn", "argon2"):
    pytest.importorskip(package, reason="pip install 'crfdeid[review]'")
sync_api = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
BROWSERS = ("/usr/bin/chromium", "/usr/bin/chromium-browser")
CHROMIUM = next((path for path in BROWSERS if Path(path).exists()), None)
pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine")]

import uvicorn  # noqa: E402

from crfdeid import corpora  # noqa: E402
from crfdeid.review.operations import training  # noqa: E402
from crfdeid.review.study import accounts, marks, system_spans  # noqa: E402
from crfdeid.review.study.source import Source  # noqa: E402
from crfdeid.review.study.study import (  # noqa: E402
    create_study,
    name_book,
    open_study,
)
from crfdeid.review.web import serve as server  # noqa: E402
from crfdeid.text.document import Document, Span  # noqa: E402

SCRIPT = '<script>window.hit = 1</script><img src=x onerror="window.hit=1">'
CURLED = "\U0001d49c\U0001d4c3\U0001d4b6"
EMOJI = f"\U0001f600\U0001f469\u200d\U0001f52c Zoe\u0308 met Ana\u0301 {CURLED} in Ko\u0308ln\r\n\tat 5 pm."
LINES = [f"Line {line}: quiet night, no complaint about anything, vent 24/06/12/18." for line in range(64)]
TEXTS = {
    "7-01": ('Seen by Dr. Ruiz on 3/4/2061. Her wife, (Eva) Lind, was told; "Ruiz" will call 555-0148.', "7"),
    "7-02": (f"{SCRIPT} Mr. O'Neil & <b>Ruiz</b>.\nRUIZ CALLED; EVA LIND INFORMED.\n", "7"),
    "8-01": (EMOJI, "8"),
    "9-01": ("\n".join([*LINES, "Signed Tanaka"]), "9"),
    "9-02": ("SEEN BY DR. RUIZ. THE WIFE WAS INFORMED BY PHONE IN THE EVENING AND WILL COME.", "9"),
}


class ServedStudy:
    """A study on disk, its server in a thread, and pages that look at it."""

    def __init__(self, folder: Path, browser, texts=TEXTS, premarks=None, format="i2b2"):
        documents = [Document(id, text, (), patient) for id, (text, patient) in texts.items()]
        corpora.write(documents, folder / "notes", format)
        source = Source(folder / "notes", format)
        create_study(folder / "study.db", source, "i2b2-2014", None, 1)
        self.study = open_study(folder / "study.db")
        for name in ("ann", "bob", "cyd"):
            accounts.add_reader(self.study.store, name, "reader")
        accounts.add_reader(self.study.store, "eve", "adjudicator")
        if premarks:
            found = {number: premarks.get(number, []) for number in range(1, len(texts) + 1)}
            system_spans.add_system(self.study, "model 1", found, True)
        self.browser, self.faults, self.requests = browser, [], []
        self.sessions = server.Sessions(self.study.store)
        self.start()

    def start(self, port=0):
        listening = socket.create_server(("127.0.0.1", port))
        self.port = listening.getsockname()[1]
        address = server.Address(("127.0.0.1", "localhost"), self.port)
        app = server.application(self.study, self.sessions, address)
        self.server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off"))
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [listening]}, daemon=True)
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)

    def stop(self):
        self.server.should_exit = True
        self.server.force_exit = True
        self.thread.join(5)

    def page(self, name, size=(1280, 800), **options):
        """A page in a new browser, in which ``name`` reads."""
        context = self.browser.new_context(viewport={"width": size[0], "height": size[1]}, **options)
        page = context.new_page()
        page.set_default_timeout(8000)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda line: line.type == "error" and self.faults.append(line.text))
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(f"http://127.0.0.1:{self.port}/?key={self.sessions.create_key(owner=True)}")
        page.get_by_role("button", name=re.compile(f"^{name}")).click()
        page.locator("#who").get_by_text(name).wait_for()
        return page

    def marks(self, name, number):
        state = self.study.marks_log.read_entry(name_book(name), number).state
        return [(span.start, span.end, span.type) for span in state.spans]


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def served(tmp_path, browser):
    made = ServedStudy(tmp_path, browser)
    yield made
    finish(made)


@pytest.fixture
def premarked(tmp_path, browser):
    found = {1: [Span(12, 16, "DOCTOR", 0.98), Span(20, 28, "AGE", 0.61), Span(69, 73, "PATIENT", 0.4)]}
    made = ServedStudy(tmp_path, browser, premarks=found)
    yield made
    finish(made)


def finish(served):
    for context in served.browser.contexts:
        context.close()
    served.stop()
    served.study.store.close()
    wanted = ("status of", "CONNECTION_REFUSED")  # what the browser itself writes of a refused request
    assert not [fault for fault in served.faults if not any(one in fault for one in wanted)]


def opened(page, number, mode="mark"):
    page.evaluate(f"location.hash = '{mode}/{number}'")
    page.locator(".sheet .row").first.wait_for()
    return page


def saved(page):
    page.locator("#saved[data-state=saved]").wait_for()


def settled(page):
    """No action is on its way."""
    page.locator("#saved:not([data-state=saving])").wait_for(state="attached")


def keys(page, *names):
    for name in names:
        page.keyboard.press(name)
        settled(page)


def until(found, wanted):
    """What the server has may come a little later than the page's event."""
    for _ in range(200):
        if found() == wanted:
            return
        time.sleep(0.03)
    assert found() == wanted


def place(page, offset):
    """Where the character at a code-point offset stands in the window."""
    return page.evaluate(
        """(offset) => {
          for (const piece of document.querySelectorAll('.row > *')) {
            const points = piece.firstChild ? Array.from(piece.firstChild.data) : [];
            const at = offset - piece.offset;
            if (!(at >= 0 && at < points.length)) continue;
            const unit = points.slice(0, at).join('').length;
            const range = document.createRange();
            range.setStart(piece.firstChild, unit);
            range.setEnd(piece.firstChild, unit + points[at].length);
            const box = range.getBoundingClientRect();
            return [box.left + box.width / 2, box.top + box.height / 2];
          }
        }""",
        offset,
    )


def click(page, offset):
    page.mouse.click(*place(page, offset))
    settled(page)


def apart(page):
    """So long that a click in the same place is no bounce."""
    page.wait_for_timeout(370)


def drag(page, start, end):
    page.mouse.move(*place(page, start))
    page.mouse.down()
    page.mouse.move(*place(page, (start + end) // 2), steps=3)
    page.mouse.move(*place(page, end - 1), steps=3)
    page.mouse.up()
    settled(page)


def shown(page):
    return page.locator(".sheet").inner_text()


# Marking with a mouse or a pen


def test_a_click_marks_a_word_without_its_punctuation_a_drag_a_stretch_and_a_second_click_corrects(served):
    page = opened(served.page("ann"), 1)
    text = TEXTS["7-01"][0]
    name, wife, date = text.index("Ruiz"), text.index("(Eva)"), text.index("3/4")
    page.get_by_role("button", name="DOCTOR").click()
    click(page, name + 3)
    saved(page)
    assert served.marks("ann", 1) == [(name, name + 4, "DOCTOR")]
    page.mouse.move(*place(page, date + 1))
    assert page.locator(".preview").inner_text() == "3/4/2061"  # shown before it counts
    drag(page, wife, wife + 10)
    assert page.locator("mark", has_text="Eva) Lind").count() == 1
    assert served.marks("ann", 1)[1] == (wife + 1, wife + 10, "DOCTOR")
    keys(page, "p")
    saved(page)
    assert served.marks("ann", 1)[1] == (wife + 1, wife + 10, "PATIENT")
    click(page, wife + 2)  # the chosen mark goes
    page.mouse.dblclick(*place(page, date + 1))  # a pen's bounce: one click
    settled(page)
    assert served.marks("ann", 1) == [(name, name + 4, "DOCTOR"), (date, date + 8, "PATIENT")]
    for _ in range(5):  # undo without limit
        keys(page, "Control+z")
    assert served.marks("ann", 1) == []
    keys(page, "Control+y")
    assert served.marks("ann", 1) == [(name, name + 4, "DOCTOR")]
    page.reload()
    page.locator("mark").wait_for()
    assert page.locator("mark").inner_text() == "Ruiz"


def test_an_end_of_the_chosen_mark_is_dragged_and_marks_are_not_nested(served):
    page = opened(served.page("ann"), 1)
    text = TEXTS["7-01"][0]
    eva = text.index("Eva")
    click(page, eva + 1)
    saved(page)
    left, top = place(page, eva)
    letter = place(page, eva + 1)[0] - left
    right = left + 2.5 * letter  # the end of "Eva"
    page.mouse.move(right - 1, top)
    page.mouse.down()
    page.mouse.move(*place(page, eva + 6), steps=4)
    page.mouse.move(*place(page, eva + 8), steps=4)
    page.mouse.up()
    settled(page)
    assert served.marks("ann", 1) == [(eva, eva + 9, "PATIENT")]
    drag(page, eva - 6, eva + 9)
    page.get_by_text("Marks cannot be nested").wait_for()
    assert served.marks("ann", 1) == [(eva, eva + 9, "PATIENT")]


def test_offsets_are_code_points_past_emoji_and_combining_characters(served):
    page = opened(served.page("ann"), 3)
    text = TEXTS["8-01"][0]
    for word in ("Zoe\u0308", "Ana\u0301", CURLED, "Ko\u0308ln", "pm"):
        click(page, text.index(word) + 1)
        saved(page)
        assert text[slice(*served.marks("ann", 3)[-1][:2])] == word
    start = text.index("Ana")
    page = opened(served.page("bob"), 3)
    drag(page, start + 1, start + 3)  # an accent is not parted from its letter
    assert [text[slice(*mark[:2])] for mark in served.marks("bob", 3)] == ["na\u0301"]


def test_note_text_is_text_wherever_it_is_shown(tmp_path, browser):
    """Texts, identifiers and patients of nothing but elements and scripts, through every mode."""
    texts = {f"{SCRIPT}{n}": (f"{SCRIPT} Mr. O'Neil & <b>Ruiz</b>", f"<b>{SCRIPT}</b>") for n in (1, 2)}
    served = ServedStudy(tmp_path, browser, texts, format="jsonl")
    everything = [Span(0, 8, "OTHER"), Span(len(SCRIPT) + 5, len(SCRIPT) + 11, "PATIENT")]
    system_spans.import_marks(served.study, "dan", {1: everything})
    system_spans.add_system(served.study, "model", {1: everything, 2: everything})
    page = opened(served.page("eve"), 2)
    assert SCRIPT in shown(page)
    click(page, SCRIPT.index("hit") + 1)
    saved(page)
    keys(page, "*")
    page.locator("dialog[open] li").first.wait_for()
    keys(page, "Escape", "?", "Escape")
    places = ("notes", "agree", "agree/1", "agree/1", "surrogates", "surrogates/1", "measure", "learn")
    for place in places:
        page.evaluate(f"location.hash = '{place}'")
        page.wait_for_timeout(200)
        page.locator("h1").wait_for()
        if page.get_by_role("button", name="Compare").count():
            page.get_by_role("button", name="Compare").click()
            page.locator(".agreement").wait_for()
            keys(page, "Enter", "Enter", "Control+Enter")
            page.locator(".list").wait_for()
        assert page.evaluate("window.hit") is None
        assert page.evaluate("document.querySelectorAll('main script, main img, main b').length") == 0
        assert page.title() == "crfdeid reading room"
    assert all("Neil" not in url and "script%3E" not in url for url in served.requests)
    assert {url.split("/")[2] for url in served.requests} == {f"127.0.0.1:{served.port}"}
    assert page.evaluate("document.documentElement.translate") is False  # or a browser may send it away
    finish(served)


# Marking without a mouse


def test_a_study_with_only_the_keyboard(served):
    page = served.page("bob")
    page.locator("#read-on:focus").wait_for()
    keys(page, "Enter")
    page.locator(".sheet:focus").wait_for()
    text = TEXTS["7-01"][0]
    keys(page, "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight")
    assert page.locator(".cursor").inner_text() == "Ruiz"
    keys(page, "o")
    saved(page)
    keys(page, "ArrowRight", "ArrowRight", "d")
    eva = text.index("Eva")
    for _ in range(3):
        keys(page, "ArrowRight")
    keys(page, "Shift+ArrowRight", "p")
    assert served.marks("bob", 1) == [(12, 16, "DOCTOR"), (20, 28, "DATE"), (eva, eva + 9, "PATIENT")]
    keys(page, "Control+Shift+ArrowLeft", "Enter")
    assert served.marks("bob", 1)[2] == (eva, eva + 8, "PATIENT")
    keys(page, ",")
    assert page.locator(".cursor").inner_text() == "3/4/2061"
    keys(page, "Delete")
    assert [type for *_, type in served.marks("bob", 1)] == ["DOCTOR", "PATIENT"]
    keys(page, "Control+Enter")
    page.get_by_role("heading", name="Note 2").wait_for()
    assert served.study.find_readers(1)["bob"]
    keys(page, "<")
    page.get_by_role("heading", name="Note 1").wait_for()
    assert page.get_by_text("✓ finished").count() == 1


SCROLLS = """() => [document.querySelector('.sheet'), document.documentElement]
  .some((one) => one.scrollHeight > one.clientHeight)"""


def test_every_screen_is_shown_before_a_note_is_finished_and_nothing_scrolls(served):
    page = opened(served.page("ann"), 4)
    keys(page, "Control+Enter")
    page.get_by_text("have not been shown yet").wait_for()
    total = int(re.search(r"of (\d+)", page.locator(".where").inner_text())[1])
    assert total > 3
    for _ in range(total):
        assert page.evaluate(SCROLLS) is False
        keys(page, " ")
    assert "Signed Tanaka" in shown(page)
    keys(page, "Control+Enter")
    page.get_by_role("heading", name="Note 5").wait_for()
    assert served.study.find_readers(4)["ann"]


NARROW = [((390, 780), 17), ((320, 640), 17), ((640, 800), 32), ((427, 267), 17), ((427, 400), 25)]


@pytest.mark.parametrize(("size", "letters"), NARROW)
def test_text_that_does_not_fit_does_not_count_as_read(served, size, letters):
    """Down to a telephone, and at 300% zoom of 1280 pixels: all is shown, or the note stays open."""
    page = served.page("ann", size)
    page.evaluate(f"localStorage.setItem('crfdeid text size', '{letters}')")
    page.reload()
    opened(page, 4)
    keys(page, "Control+Enter")
    page.locator("#word").get_by_text(re.compile("have not been shown yet|does not fit")).wait_for()
    first_screen(page)
    text, screens = "", int(re.search(r"of (\d+)", page.locator(".where").inner_text())[1])
    for number in range(1, screens + 1):
        page.locator(".where").get_by_text(f"screen {number} of").wait_for()
        text += page.locator(".sheet").inner_text() if page.evaluate(WHOLE) else ""
        keys(page, " ")
    page.wait_for_timeout(600)
    whole = re.sub(r"[\s\u200b]", "", text) == re.sub(r"\s", "", TEXTS["9-01"][0])
    keys(page, "Control+Enter")
    until(lambda: served.study.find_readers(4).get("ann", False), whole)
    assert whole


# All rows are on the sheet and in the window.
WHOLE = """() => {
  const sheet = document.querySelector('.sheet').getBoundingClientRect();
  return [...document.querySelectorAll('.row > *')].every((one) => {
    const range = document.createRange();
    range.setStart(one.firstChild, 0);
    range.setEnd(one.firstChild, one.firstChild.data.trimEnd().length);
    const box = range.getBoundingClientRect();
    const [right, bottom] = [Math.min(sheet.right, innerWidth), Math.min(sheet.bottom, innerHeight)];
    return box.right <= right + 1 && box.bottom <= bottom + 1;
  });
}"""


def test_the_server_finishes_no_note_that_was_not_shown(served):
    page = opened(served.page("ann"), 4)
    page.wait_for_timeout(600)
    body = {"version": 0, "kind": "done"}
    script = """(body) => fetch('/api/notes/4/actions', {method: 'POST', body: JSON.stringify(body),
        headers: {'Content-Type': 'application/json'}}).then((answer) => answer.json())"""
    refused = page.evaluate(script, body)
    assert refused["stage"] == "unseen" and refused["unseen"] > 100


def test_premarks_are_decided_one_by_one(premarked):
    page = premarked.page("ann")
    page.get_by_label("Order").select_option("uncertainty")
    page.locator("tr", has_text="7-01").get_by_text("1.01").wait_for()  # 0.02 + 0.39 + 0.6 of three are wrong
    opened(page, 1)
    assert page.locator(".premark").count() == 3
    assert page.locator("[data-label='61% AGE?']").count() == 1
    keys(page, "Control+Enter")
    page.get_by_text("Each pre-mark has to be accepted").wait_for()
    keys(page, "Enter")  # accepts Ruiz
    keys(page, "d")  # the age is a date
    keys(page, "Delete")  # no patient
    assert premarked.marks("ann", 1) == [(12, 16, "DOCTOR"), (20, 28, "DATE")]
    assert decisions(page) == ["accepted", "changed", "rejected"]
    keys(page, "Control+Enter")
    page.get_by_role("heading", name="Note 2").wait_for()


def hold(page, pattern):
    """Let the requests to an address wait. Return them, to be continued."""
    held = []
    page.route(pattern, lambda route: held.append(route))
    return held


def release(page, pattern, held):
    page.route(pattern, lambda route: route.continue_())
    for route in held:
        route.continue_()


def test_a_note_is_finished_by_a_key_that_comes_while_the_last_decision_is_being_saved(premarked):
    page = opened(premarked.page("ann"), 1)
    for accepted in (1, 2):
        keys(page, ".", "Enter")
        until(lambda: decisions(page).count("accepted"), accepted)
    keys(page, ".")
    page.locator(".cursor", has_text="will").wait_for()
    held = hold(page, "**/actions")
    with page.expect_request("**/actions"):
        page.keyboard.press("Delete")
    page.keyboard.press("Control+Enter")
    page.wait_for_timeout(100)
    release(page, "**/actions", held)
    page.get_by_role("heading", name="Note 2").wait_for()
    assert premarked.study.marks_log.read_entry(name_book("ann"), 1).state.done


def test_a_note_is_finished_while_the_server_is_being_told_that_it_was_shown(served):
    page = served.page("ann")
    held = hold(page, "**/shown")
    with page.expect_request("**/shown"):
        opened(page, 1)
    page.keyboard.press("Control+Enter")
    page.wait_for_timeout(100)
    release(page, "**/shown", held)
    page.get_by_role("heading", name="Note 2").wait_for()


def test_undo_takes_back_a_mark_that_is_being_saved(served):
    page = opened(served.page("ann"), 1)
    held = hold(page, "**/actions")
    with page.expect_request("**/actions"):
        page.mouse.click(*place(page, 13))
    page.keyboard.press("Control+z")
    release(page, "**/actions", held)
    page.get_by_role("button", name="Redo").and_(page.locator(":enabled")).wait_for()
    assert served.marks("ann", 1) == []


def test_a_click_on_a_premark_that_the_reader_did_not_choose_only_chooses_it(premarked):
    page = opened(premarked.page("ann"), 1)
    click(page, 13)  # chooses
    apart(page)
    click(page, 13)  # accepts; the page goes on to the age
    assert decisions(page) == ["accepted", None, None]
    assert page.locator(".cursor").inner_text() == "3/4/2061"
    click(page, 22)
    assert decisions(page) == ["accepted", None, None]
    apart(page)
    click(page, 22)
    assert decisions(page) == ["accepted", "accepted", None]


def test_the_key_for_the_next_premark_skips_none_to_which_the_page_went_by_itself(premarked):
    page = opened(premarked.page("ann"), 1)
    keys(page, ".", "Enter", ".", "Enter", ".", "Enter")
    assert decisions(page) == ["accepted", "accepted", "accepted"]


def decisions(page):
    state = page.evaluate("fetch('/api/notes/1').then((answer) => answer.json())")
    return [one["decision"] for one in state["premarks"]]


def test_a_held_key_and_a_bouncing_pen_decide_once(premarked):
    page = opened(premarked.page("ann"), 1)
    keys(page, ".")
    for _ in range(4):  # a key that is held down
        page.keyboard.down("Enter")
        settled(page)
    page.keyboard.up("Enter")
    assert decisions(page) == ["accepted", None, None]
    page.get_by_role("button", name="Accept").dblclick()  # another pre-mark is under the pen by then
    apart(page)
    assert decisions(page) == ["accepted", "accepted", None]
    keys(page, "Alt+d")  # a shortcut of the browser
    page.get_by_role("button", name="Reject").click()
    settled(page)
    assert decisions(page) == ["accepted", "accepted", "rejected"]
    assert len(premarked.marks("ann", 1)) == 2


def test_the_focus_stays_where_a_page_is_drawn_again(premarked):
    system_spans.import_marks(premarked.study, "dan", {1: [Span(12, 16, "DOCTOR")]})
    system_spans.import_consensus(premarked.study, {1: [Span(12, 16, "DOCTOR")]})
    page = premarked.page("eve")
    page.get_by_label("Order").focus()
    with page.expect_response(lambda answer: "/api/notes?" in answer.url):
        keys(page, "ArrowDown")
    page.locator("[name=order]:focus").wait_for()
    page.evaluate("location.hash = 'measure'")
    page.get_by_label("the type must be right").focus()
    with page.expect_response(lambda answer: "types" in answer.url):
        keys(page, " ")
    page.locator("[name=types]:focus").wait_for()
    assert page.get_by_label("the type must be right").is_checked()


def test_a_window_of_one_reader_does_not_act_as_another(served):
    page = opened(served.page("ann"), 1)
    second = page.context.new_page()
    second.goto(f"http://127.0.0.1:{served.port}/")
    second.get_by_role("button", name="Leave").click()
    second.get_by_role("button", name="bob").click()
    second.locator("#who").get_by_text("bob").wait_for()
    click(page, 13)
    page.get_by_text("not saved: another name was picked").wait_for()
    assert served.marks("ann", 1) == served.marks("bob", 1) == []
    click(opened(second, 1), 13)
    saved(second)
    assert len(served.marks("bob", 1)) == 1


def test_a_reader_invites_a_second_browser_and_signs_out_everywhere(served):
    page = served.page("ann")
    page.get_by_role("button", name="ann").click()
    page.get_by_role("button", name="Invite a browser").click()
    address = page.get_by_label("Address for one other browser").input_value()
    second = served.browser.new_context().new_page()
    second.goto(address)
    second.get_by_role("button", name="ann").click()
    second.locator("#who").get_by_text("ann").wait_for()
    page.get_by_role("button", name="Sign out everywhere").click()
    page.get_by_text("Who is reading?").wait_for()
    second.reload()
    second.get_by_text("This page opens with the address").wait_for()


def test_a_session_survives_a_restart_of_the_server(served):
    page = opened(served.page("ann"), 1)
    served.stop()
    served.sessions = server.Sessions(served.study.store)
    served.start(served.port)
    click(page, 13)
    saved(page)
    assert len(served.marks("ann", 1)) == 1


def test_an_address_that_changes_while_the_page_loads_opens_afterwards(served):
    page = served.page("ann")
    held = []
    page.route("**/api/study", lambda route: held.append(route))
    with page.expect_request("**/api/study"):
        page.reload(wait_until="commit")
    page.evaluate("location.hash = 'mark/1'")
    page.wait_for_timeout(200)
    held[0].continue_()
    page.get_by_role("heading", name="Note 1").wait_for()  # and no error is in the console


def test_an_address_that_names_no_mode_shows_the_notes(served):
    page = served.page("ann")
    for name in ("constructor", "__proto__", "toString/1"):
        page.evaluate(f"location.hash = '{name}'")
        page.locator("#read-on").wait_for()


def test_repeats_in_all_notes_of_the_patient_are_seen_and_then_marked(served):
    page = opened(served.page("ann"), 1)
    click(page, 13)
    keys(page, "o", "*")
    page.get_by_role("heading", name="3 more places as DOCTOR?").wait_for()
    assert page.locator(".places li").count() == 3
    keys(page, "Enter")
    until(lambda: [len(served.marks("ann", number)) for number in (1, 2)], [2, 2])
    page.locator("mark").nth(1).wait_for()
    keys(page, "Control+z")
    assert len(served.marks("ann", 1)) == 1
    assert served.marks("ann", 2) == []


def test_capitals_in_sentence_case_change_what_is_shown_and_no_offset(served):
    page = opened(served.page("ann"), 5)
    page.get_by_text("Mostly capitals").wait_for()
    keys(page, "/")
    assert shown(page).startswith("Seen by dr. Ruiz. The wife was")
    click(page, 13)
    saved(page)
    assert served.marks("ann", 5) == [(12, 16, "PATIENT")]
    keys(page, "/")
    assert "THE WIFE WAS" in shown(page)


def test_the_page_shows_what_is_not_saved(served):
    page = opened(served.page("ann"), 1)
    page.route("**/actions", lambda route: route.fulfill(status=507, json={"fault": "the disk is full"}))
    click(page, 13)
    page.get_by_text("not saved: the disk is full").wait_for()
    assert page.locator("mark").count() == 0
    page.unroute("**/actions")
    served.stop()
    apart(page)
    click(page, 13)
    page.get_by_text("not saved: the server does not answer").wait_for()
    served.start()


def test_a_note_that_changed_on_disk_is_refused_by_name(served, tmp_path):
    page = served.page("ann")
    (file,) = (path for path in (tmp_path / "notes").iterdir() if "7-01" in path.name)
    file.write_text(file.read_text(encoding="utf-8").replace("Ruiz", "Rust"), encoding="utf-8")
    page.evaluate("location.hash = 'mark/1'")
    page.locator("#word[data-kind=fault]", has_text="7-01").wait_for()
    assert page.locator(".row").count() == 0


def test_a_second_tab_takes_over_what_the_first_did(served):
    first = opened(served.page("ann"), 1)
    second = first.context.new_page()
    second.goto(f"http://127.0.0.1:{served.port}/#mark/1")
    second.locator(".sheet .row").first.wait_for()
    click(first, 13)
    saved(first)
    click(second, 21)
    second.get_by_text("not saved").wait_for()
    assert second.locator("mark").inner_text() == "Ruiz"  # now shown there too
    apart(second)
    click(second, 21)
    saved(second)
    assert len(served.marks("ann", 1)) == 2


def test_the_page_suggests_a_pause_after_an_hour(served):
    page = opened(served.page("ann"), 1)
    page.evaluate("import('/static/clock.js').then((clock) => clock.pause(3700))")
    page.get_by_text("You have read for 62 minutes").wait_for()


def test_a_text_is_found_in_a_note_and_in_all_notes(served):
    page = opened(served.page("ann"), 4)
    keys(page, "Control+f")
    page.get_by_label("Text to find in this note").fill("signed tanaka")
    keys(page, "Enter")
    page.get_by_text("at character").wait_for()
    page.get_by_role("button", name="Close").click()
    assert page.locator(".cursor").inner_text() == "Signed Tanaka"
    page.evaluate("location.hash = 'notes'")
    page.get_by_label("Text in all notes of the set").fill("ruiz")
    page.get_by_role("button", name="Search all notes").click()
    page.get_by_text("3 notes hold this text").wait_for()
    assert not [url for url in served.requests if "ruiz" in url]
    page.get_by_role("region", name="notes hold this text").get_by_role("link").nth(1).click()
    page.locator(".cursor").wait_for()
    assert page.locator(".cursor").inner_text() == "Ruiz"


def test_notes_are_filtered_and_sorted(served):
    page = served.page("ann")
    numbers = lambda: [row.split()[0] for row in page.locator(".list tbody tr").all_inner_texts()]  # noqa: E731
    until(numbers, ["1", "2", "3", "4", "5"])
    page.get_by_label("Number, note or patient").fill("9-")
    assert numbers() == ["4", "5"]
    page.get_by_label("Order").select_option("short")
    until(numbers, ["5", "4"])
    page.get_by_label("Number, note or patient").fill("")
    page.get_by_label("Order").select_option("random")
    until(lambda: sorted(numbers()) == ["1", "2", "3", "4", "5"] and numbers() != sorted(numbers()), True)
    chance = numbers()
    page.get_by_label("Order").select_option("given")
    page.get_by_label("Order").select_option("random")
    until(numbers, chance)
    page.get_by_label("Show").select_option("done")
    until(numbers, [])


def test_rows_close_together_show_more(served):
    page = opened(served.page("ann"), 4)
    before = page.locator(".row").count()
    keys(page, "|")
    assert page.locator(".row").count() >= before * 1.2


# Agree, measure, surrogates, learn


def test_one_key_decides_what_all_agree_on_and_goes_to_what_differs_most(served):
    ann = [Span(12, 16, "DOCTOR"), Span(20, 28, "DATE"), Span(35, 39, "PATIENT")]
    for name, spans in (("dan", ann), ("mia", ann[:2]), ("zoe", [ann[0], Span(40, 43, "AGE")])):
        system_spans.import_marks(served.study, name, {1: spans})
    page = served.page("eve")
    page.evaluate("location.hash = 'agree/1'")
    page.get_by_role("button", name="Compare").click()
    page.get_by_role("button", name="Decide 1 agreed").wait_for()
    keys(page, "=")
    page.get_by_text("3 of 4 to decide").wait_for()
    assert page.locator(".cursor").inner_text() == "ife"  # fewer than half marked it
    keys(page, "Delete", "Delete")
    page.locator(".agreement.majority").wait_for()
    keys(page, "Enter")
    page.get_by_text("0 of 4 to decide").wait_for()


def test_three_readers_and_their_consensus(served):
    both = [(12, "o"), (21, "d")]
    for name, mark in (("ann", both), ("bob", both), ("cyd", [(12, "o"), (35, "p")])):
        page = opened(served.page(name), 1)
        for offset, letter in mark:
            click(page, offset)
            keys(page, letter)
        saved(page)
        keys(page, "Control+Enter")
        page.get_by_role("heading", name="Note 2").wait_for()
        assert page.locator("#modes a").count() == 1  # a reader sees no others
    page = served.page("eve")
    page.get_by_role("link", name="Agree").click()
    page.locator("#read-on:focus").wait_for()
    keys(page, "Enter")
    page.get_by_text("Whose marks are compared?").wait_for()
    page.locator("button.primary:focus").wait_for()
    keys(page, "Enter")
    page.locator(".agreement").wait_for()
    assert "agreed by all" in page.locator(".agreement").inner_text()
    keys(page, "Enter")
    page.locator(".agreement.majority").wait_for()
    keys(page, "Enter")
    page.locator(".agreement.fewer").wait_for()
    keys(page, "Enter")  # nothing is chosen for it
    page.get_by_text("Fewer than half marked this").wait_for()
    assert page.get_by_text("1 of 3 to decide").count() == 1
    keys(page, "Delete")
    page.get_by_text("0 of 3 to decide").wait_for()
    eva = TEXTS["7-01"][0].index("Eva")
    drag(page, eva, eva + 9)
    keys(page, "p")
    keys(page, "Control+Enter")
    page.get_by_text("1 of 5 notes decided").wait_for()
    state = served.study.consensus_log.read_entry("consensus", 1).state
    found = [(span.start, span.end, span.type) for span in state.spans]
    assert found == [(12, 16, "DOCTOR"), (20, 28, "DATE"), (eva, eva + 9, "PATIENT")]
    opened(page, 1, "agree").locator("#reopen").click()
    page.locator("#finish").wait_for()
    apart(page)  # the button is in the place of the other
    assert not served.study.consensus_log.read_entry("consensus", 1).state.done
    page.locator("#finish").click()
    page.get_by_text("1 of 5 notes decided").wait_for()
    measured(page)
    page = opened(served.page("ann"), 1, "agree")  # who has finished the note may look
    assert page.get_by_role("button", name="Decide").count() == 0
    keys(page, "Delete", "d")
    assert served.study.consensus_log.read_entry("consensus", 1).state.done


def measured(page):
    page.evaluate("location.hash = 'measure'")
    page.get_by_text("Against the consensus of 1 notes with 3 instances").wait_for()
    row = page.locator("tr", has_text="cyd").first.inner_text().split()
    assert row[:8] == ["cyd", "reader", "1", "1", "1", "2", "0.333", "0.500"]
    keys(page, "ArrowRight")
    page.get_by_text("beside Douglass 2005, table 4.1").wait_for()
    assert "0.667" in page.locator("tr", has_text="3 people, Sensitivity").inner_text()
    page.get_by_label("the type must be right").check()
    page.get_by_label("the type must be right").wait_for()
    page.evaluate("location.hash = 'learn'")
    page.get_by_label("Name", exact=True).first.fill("decided")
    page.get_by_role("button", name="Write").click()
    page.get_by_text("1 notes written to").wait_for()


def test_agree_opens_the_next_note_with_the_voters_of_the_last(served):
    for name, spans in (("dan", [Span(0, 4, "DOCTOR")]), ("mia", []), ("zoe", [])):
        system_spans.import_marks(served.study, name, {1: spans, 2: spans})
    system_spans.add_system(served.study, "model 1", {number: [] for number in range(1, 6)})
    page = served.page("eve")
    page.evaluate("location.hash = 'agree/1'")
    page.get_by_label("model 1").check()
    for name in ("mia", "zoe"):
        page.get_by_label(name).uncheck()
    page.get_by_role("button", name="Compare").click()
    page.locator(".agreement", has_text="The voters disagree").wait_for()  # a reader and a system
    keys(page, "Delete", "Control+Enter")
    page.get_by_role("heading", name="Note 2").wait_for()  # not the list
    ticked = page.locator("label", has=page.locator(":checked")).all_inner_texts()
    assert [text.split()[0] for text in ticked] == ["dan", "model"]
    page.reload()  # the server remembers
    page.get_by_role("heading", name="Note 2").wait_for()
    page.get_by_label("model 1").uncheck()
    page.get_by_label("mia").check()
    page.get_by_role("button", name="Compare").click()
    page.locator(".agreement", has_text="The readers disagree").wait_for()
    keys(page, "Enter")
    page.get_by_text("The readers disagree. Choose an answer").wait_for()
    keys(page, "Delete", "Control+Enter")
    page.get_by_text("2 of 5 notes decided").wait_for()  # no further note is ready


def test_surrogates_are_checked_changed_and_written(tmp_path, browser):
    served = ServedStudy(tmp_path, browser, {"7-01": TEXTS["7-01"]})
    spans = [Span(12, 16, "DOCTOR"), Span(20, 28, "DATE"), Span(41, 50, "PATIENT")]
    system_spans.import_consensus(served.study, {1: spans})
    page = served.page("eve")
    page.evaluate("location.hash = 'surrogates'")
    page.get_by_label("Name").fill("early")
    page.get_by_role("button", name="Write").click()
    page.get_by_text("nothing was written: 1 notes are not approved yet (1 notes left)").wait_for()
    assert page.get_by_text("not saved").count() == 0
    assert page.get_by_label("Format").input_value() == "text"
    page.get_by_label("Format").select_option("i2b2")
    page.get_by_text("which words were missed").wait_for()
    page.get_by_label("Format").select_option("text")
    assert page.get_by_text("which words were missed").count() == 0
    page.locator("#read-on").focus()
    keys(page, "Enter")
    page.locator(".proposals input").first.wait_for()
    rows = page.locator(".proposals tbody tr")
    assert [row.split()[0] for row in rows.all_inner_texts()] == ["Ruiz", "3/4/2061", "Eva)", "Ruiz"]
    keys(page, "Enter")
    page.keyboard.type("Quimby")
    keys(page, "Enter")
    page.locator(".proposals input").nth(1).and_(page.locator(":focus")).wait_for()
    assert page.get_by_text("edited").count() == 1
    rows.first.get_by_role("button").click()
    keys(page, "*")  # the same for the second Ruiz
    page.get_by_text("edited").nth(1).wait_for()
    page.keyboard.press("Control+Enter")
    page.get_by_label("Name").fill("written")
    page.get_by_role("button", name="Write").click()
    page.get_by_text("1 notes written to").wait_for()
    (document,) = corpora.read(page.locator(".export code").first.inner_text())
    assert document.text.startswith("Seen by Dr. Quimby on ")
    assert not re.search("Ruiz|Eva|3/4/2061", document.text)
    finish(served)


def test_a_model_is_trained_in_the_page_with_figures_before_and_after(served, monkeypatch):
    found = {"recall": 0.5, "recall_interval": [0.1, 0.9], "precision": 1.0, "precision_interval": [0.4, 1.0]}
    row = {"name": "old", "spans": 4} | found
    new = row | {"name": "new", "recall": 0.75, "recall_interval": None}
    figures = {"learned": 8, "aside": 2, "patients": 2, "figures": [row, new]}
    went_on = threading.Event()

    def train(study, name, premarks, base):
        def work(job):
            job.phase = "train"
            went_on.wait(20)
            job.refuse_stopped()
            job.result = figures

        return work

    monkeypatch.setattr(training, "train_model", train)
    system_spans.import_consensus(served.study, {1: [Span(12, 16, "DOCTOR")]})
    page = served.page("eve")
    page.get_by_role("link", name="Learn").click()
    after = "On 2 notes of 2 other patients with 4 spans, before and after: "
    after += "old: recall 0.500 (0.100–0.900), precision 1.000 (0.400–1.000); new: recall 0.750,"
    for ending, said in (("Stop", "Stopped"), (None, after)):
        page.get_by_label("Name of the new model").fill("new")
        page.get_by_role("button", name="Train now").click()
        page.get_by_text("training for").wait_for()
        if ending:
            page.get_by_role("button", name=ending).click()
            page.wait_for_timeout(100)
        went_on.set()
        page.get_by_text(said).wait_for()
        went_on.clear()


def test_a_model_is_adapted_in_the_page_with_what_it_gained(served, monkeypatch):
    before = {"covered": 0.8, "precision": 0.7, "f1": 0.625, "low": 0.5, "high": 0.75}
    after = before | {"covered": 0.95, "f1": 0.875}
    adapted = {"base": "english", "way": "weights", "patients": 5, "gain": {"before": before, "after": after}}
    asked = []

    def train(study, name, premarks, base):
        asked.append(base)
        way = "weights" if base == "english" else "as it is"
        row = {"learned": 8, "aside": 0, "patients": 0, "figures": [], "adapted": adapted | {"way": way}}
        return lambda job: setattr(job, "result", row)

    monkeypatch.setattr(training, "train_model", train)
    system_spans.import_consensus(served.study, {1: [Span(12, 16, "DOCTOR")]})
    page = served.page("eve")
    page.get_by_role("link", name="Learn").click()
    gained = "Adapted english: weights. On 8 notes of 5 patients, by cross-validation, before: "
    gained += (
        "covered 0.800, strict F1 0.625 (0.500–0.750); after: covered 0.950, strict F1 0.875 (0.500–0.750)."
    )
    kept = "Nothing is surely better than english, which stays as it is. On 8 notes of 5 patients"
    for base, said in (("english", gained), ("spanish", kept)):
        page.get_by_label("From the decided notes").select_option(base)
        page.get_by_label("Name of the new model").fill("new")
        page.get_by_role("button", name="Train now").click()
        page.get_by_text(said).wait_for()
        apart(page)
    assert asked == ["english", "spanish"]


def test_the_picture_of_recall_names_each_system_and_joins_none(served):
    made = served.page("eve").evaluate(
        """async () => {
          const { drawRecall } = await import('/static/curve.js');
          const systems = [["old", 0, 0.5], ["new", 6, 0.75], ["untested", 9, null]];
          const shown = systems.map(([name, notes_read, recall]) => ({ name, notes_read, recall }));
          const made = drawRecall(shown);
          const count = (kind) => made.querySelectorAll(kind).length;
          const said = made.getAttribute("aria-label");
          return [made.textContent, said, count("circle"), count("polyline, path")];
        }"""
    )
    assert "old: 0.500" in made[0] and "new: 0.750" in made[0] and "untested" not in made[0]
    assert "old 0.500 after 0 notes; new 0.750 after 6 notes" in made[1] and made[2:] == [2, 0]


def test_a_reader_is_unsure_and_asks_and_the_adjudicator_sees_both(served):
    page = opened(served.page("ann"), 1)
    click(page, 13)
    keys(page, ";")
    page.locator("[data-label='PATIENT ~ unsure']").wait_for()
    keys(page, ":")
    page.get_by_label("Your remark").fill("his daughter?")
    page.get_by_role("button", name="Write").click()
    page.locator(".remark", has_text="his daughter?").wait_for()
    keys(page, "Control+Enter")
    page.get_by_role("heading", name="Note 2").wait_for()
    page = served.page("eve")
    page.evaluate("location.hash = 'agree/1'")
    page.get_by_role("button", name="Compare").click()
    page.get_by_text("ann: unsure").wait_for()
    page.get_by_label("Answer to ann").fill("no")
    keys(page, "Enter")
    page.get_by_text("eve: no").wait_for()
    keys(page, "!")
    page.get_by_text("decided, ambiguous").wait_for()


def test_a_reader_changes_the_key_of_a_type(served):
    page = opened(served.page("ann"), 1)
    keys(page, "?")
    page.get_by_role("button", name="Key of DOCTOR: o").press("d")
    page.get_by_role("button", name="Key of DATE: o").wait_for()  # they change places
    keys(page, "Escape")
    click(page, 13)
    keys(page, "d")
    page.locator("[data-label=DOCTOR]").wait_for()
    page.reload()
    page.locator("[data-type=DOCTOR]", has_text="D").wait_for()
    assert opened(served.page("bob"), 1).get_by_role("button", name="O DOCTOR").count() == 1


def test_a_coordinator_assigns_notes_and_sees_how_far_everybody_is(served):
    for name in ("dan", "mia"):
        system_spans.import_marks(served.study, name, {1: [Span(12, 16, "DOCTOR")]})
    page = served.page("eve")
    page.get_by_role("link", name="Team").click()
    page.get_by_text("dan and mia").wait_for()
    for name in ("bob", "cyd", "dan", "mia"):
        page.get_by_label(name, exact=True).uncheck()
    page.get_by_label("Readers for each patient").fill("1")
    page.get_by_role("button", name="Assign", exact=True).click()
    page.get_by_role("button", name="Take all assignments").wait_for()
    page.get_by_role("button", name="Show").click()
    page.get_by_text("4 actions").wait_for()
    bob = served.page("bob")
    bob.locator("#read-on, strong").first.wait_for()
    assert bob.locator(".list tbody tr").count() == 0
    served.page("ann").locator(".list tbody tr").nth(4).wait_for()


# Sizes, contrast, and the pure modules


FITS = """() => {
  const out = [...document.querySelectorAll('main button, .row > *, .here, .foot')].filter((one) => {
    const box = one.getBoundingClientRect();
    return box.right > innerWidth + 1 || box.bottom > innerHeight + 1;
  });
  const boxes = (name) => [...document.querySelectorAll(name)].map((one) => one.getBoundingClientRect());
  const [sheet] = boxes('.sheet');
  const cut = boxes('.row').filter((box) => box.bottom > sheet.bottom);
  const hidden = boxes('.type').filter((box) => box.height < 12);
  return [out.length, cut.length, hidden.length, boxes('.leaf').length];
}"""


def first_screen(page):
    while "screen 1 " not in page.locator(".where").inner_text():
        page.keyboard.press("PageUp")


def test_sizes_from_a_tablet_to_a_large_monitor(served):
    page = opened(served.page("ann", has_touch=True), 4)
    for size, leaves in (((768, 1024), 1), ((1024, 768), 1), ((1920, 1080), 2), ((2560, 1440), 2)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.wait_for_timeout(200)
        first_screen(page)
        assert page.evaluate(FITS) == [0, 0, 0, leaves], size
        text, screens = "", int(re.search(r"of (\d+)", page.locator(".where").inner_text())[1])
        for _ in range(screens):
            text += page.locator(".sheet").inner_text()
            keys(page, " ")
        assert re.sub(r"[\s\u200b]", "", text) == re.sub(r"\s", "", TEXTS["9-01"][0])  # each on one screen
    first_screen(page)
    page.touchscreen.tap(*place(page, 14))
    saved(page)
    assert served.marks("ann", 4) == [(14, 19, "PATIENT")]


class Axe:
    """Finds what axe-core objects to on a page, by the name of the page's state."""

    def __init__(self, page, rules="{}"):
        found = Path(pytest.importorskip("axe_core_python", reason="pip install axe-core-python").__file__)
        self.source = next(found.parent.rglob("axe.min.js")).read_text(encoding="utf-8")
        self.page, self.rules, self.problems = page, rules, {}

    def check(self, name):
        settled(self.page)
        self.page.evaluate(self.source)
        found = self.page.evaluate(f"axe.run(document, {self.rules}).then((one) => one.violations)")
        for one in found:
            self.problems[f"{name} {one['id']}"] = [node["html"][:200] for node in one["nodes"][:3]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(premarked, scheme):
    system_spans.import_marks(premarked.study, "dan", {1: [Span(12, 16, "DOCTOR")]})
    page = premarked.page("eve", color_scheme=scheme, bypass_csp=True)
    # all else is the same in the dark
    axe = Axe(page, "{}" if scheme == "light" else "{runOnly: ['color-contrast']}")
    check = axe.check
    check("notes")
    opened(page, 1)
    keys(page, ".")
    check("mark")
    keys(page, "?")
    check("keys")
    keys(page, "Escape")
    for mode in ("agree", "measure", "learn", "team"):
        page.evaluate(f"location.hash = '{mode}'")
        page.locator(".page h1").wait_for()
        check(mode)
    page.evaluate("location.hash = 'agree/1'")
    page.get_by_role("button", name="Compare").wait_for()
    check("voters")
    page.get_by_role("button", name="Compare").click()
    page.locator(".agreement").wait_for()
    check("adjudication")
    keys(page, "Enter", ".", "Enter", ".", "Enter", "Control+Enter")
    page.locator(".list").wait_for()
    opened(page, 1, "surrogates")
    check("surrogates")
    page.get_by_role("button", name="Leave").click()
    page.get_by_text("Who is reading?").wait_for()
    check("welcome")
    assert axe.problems == {}


def tab_to(page, target):
    """Go on with the Tab key to an element; return it."""
    for _ in range(80):
        if target.evaluate("(one) => one === document.activeElement"):
            return target
        page.keyboard.press("Tab")
    raise AssertionError("Tab does not reach it")


def test_finding_doubting_filtering_and_the_team_by_keyboard_with_nothing_for_axe(served, monkeypatch):
    for name in ("dan", "mia"):
        system_spans.import_marks(served.study, name, {1: [Span(12, 16, "DOCTOR")]})
    page = served.page("eve", bypass_csp=True)
    axe = Axe(page)
    tab_to(page, page.get_by_label("Number, note or patient"))
    page.keyboard.type("7-01")
    tab_to(page, page.get_by_label("Text in all notes of the set"))
    page.keyboard.type("ruiz")
    keys(page, "Enter")
    page.get_by_text("3 notes hold this text").wait_for()
    axe.check("search")
    keys(page, *["Shift+Tab"] * 3)
    tab_to(page, page.get_by_label("Number, note or patient"))
    keys(page, "Enter")  # opens the first note that is left
    page.get_by_role("heading", name="Note 1").wait_for()
    keys(page, "Control+f")
    page.keyboard.type("Ruiz")
    keys(page, "Enter")
    page.get_by_text("at character 12").wait_for()
    axe.check("find")
    keys(page, "Escape", "Enter", ";", ":")
    page.keyboard.type("his daughter?")
    axe.check("remark")
    tab_to(page, page.get_by_role("button", name="Write"))
    keys(page, "Enter")
    page.locator(".remark", has_text="his daughter?").wait_for()
    axe.check("doubt")
    keys(page, "Control+Enter")
    page.get_by_role("heading", name="Notes to read").wait_for()  # the filter leaves no other
    tab_to(page, page.get_by_role("link", name="Agree"))
    keys(page, "Enter")
    tab_to(page, page.get_by_label("Order")).select_option("unsure")
    tab_to(page, page.get_by_label("Show")).select_option("doubt")
    until(
        lambda: [row.split()[:2] for row in page.locator(".list tbody tr").all_inner_texts()], [["1", "7-01"]]
    )
    axe.check("agree, filtered")
    tab_to(page, page.get_by_label("Number, note or patient"))
    keys(page, "Enter")
    page.get_by_role("button", name="Compare").and_(page.locator(":focus")).wait_for()
    keys(page, "Enter")
    page.get_by_text("eve: unsure").wait_for()
    axe.check("adjudication with a question")
    tab_to(page, page.get_by_label("Answer to eve"))
    page.keyboard.type("yes")
    keys(page, "Enter")
    page.get_by_text("eve: yes").wait_for()
    tab_to(page, page.get_by_role("link", name="Team"))
    keys(page, "Enter")
    page.get_by_text("dan and mia").wait_for()
    tab_to(page, page.get_by_role("button", name="Assign", exact=True))
    keys(page, "Enter")
    page.get_by_role("button", name="Take all assignments").wait_for()
    tab_to(page, page.get_by_role("button", name="Show"))
    keys(page, "Enter")
    page.get_by_text(re.compile("[0-9]+ actions")).wait_for()
    axe.check("team with its log")
    monkeypatch.setattr(training, "train_model", train_nothing)
    system_spans.import_consensus(served.study, {2: [Span(12, 16, "DOCTOR")]})
    tab_to(page, page.get_by_role("link", name="Learn"))
    keys(page, "Enter")
    tab_to(page, page.get_by_label("Name of the new model"))
    page.keyboard.type("new")
    keys(page, "Enter")
    page.get_by_text("Trained on 8 notes").wait_for()
    axe.check("trained")
    tab_to(page, page.get_by_role("button", name="eve"))
    keys(page, "Enter")
    page.get_by_role("button", name="Invite a browser").wait_for()
    axe.check("account")
    assert axe.problems == {}


def train_nothing(study, name, premarks, base):
    def work(job):
        job.result = {"learned": 8, "aside": 0, "figures": []}

    return work


WORDS = ["visited by other wil,updated (Dr. O'Neil)", "DOB:3/4/61, -- http://a.b/c?d=e", "a  b\t\u00a0c"]
WORDS += [text for text, _ in TEXTS.values()]


def test_the_page_and_the_server_agree_on_words(served):
    page = served.page("ann")
    script = """async (text) => {
      const { word } = await import('/static/stretch.js');
      const points = Array.from(text);
      return points.map((_, i) => word(points, i)).map((one) => one && [one.start, one.end]);
    }"""
    for text in WORDS:
        found = [tuple(one) if one else None for one in page.evaluate(script, text)]
        assert found == [marks.find_word(text, i) for i in range(len(text))]


def test_a_megabyte_is_paged_at_once_and_nothing_is_lost(served):
    page = served.page("ann")
    rows, longest, milliseconds = page.evaluate(
        """async () => {
          const { rowStarts } = await import('/static/screens.js');
          const once = 'Quiet night, no complaint.\\n' + 'x'.repeat(300) + ' words and words. ';
          const points = Array.from(once.repeat(3000));
          const began = performance.now();
          const starts = rowStarts(points, 80);
          const ends = [...starts.slice(1), points.length];
          const milliseconds = performance.now() - began;
          return [starts.length, Math.max(...starts.map((start, i) => ends[i] - start)), milliseconds];
        }"""
    )
    assert rows > 3000 * 4
    assert longest <= 82  # eighty columns, and the white space that ends a row
    assert milliseconds < 2000
