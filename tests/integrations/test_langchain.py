"""Prompts of LangChain leave redacted, and answers come back restored; the rest is refused."""

import asyncio

import pytest

pytest.importorskip("langchain_core", reason="langchain-core is not installed")

from langchain_core.messages import AIMessage, ChatMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompt_values import ImagePromptValue
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder, PromptTemplate
from langchain_core.runnables import RunnableGenerator

from crfdeid.integrations.langchain import deidentify
from crfdeid.session import Session, SessionError

pytestmark = pytest.mark.usefixtures("models_once")

TEXT = "Mr. John Okafor was seen on 3/14/2061."
HIDDEN = "Mr. [PATIENT_1] was seen on [DATE_1]."
ANSWER = ("Mr. [PATI", "ENT_1] on ", "[DATE_1]", ".")
RESTORED = "Mr. John Okafor on 3/14/2061."
CHAT = ChatPromptTemplate(
    [("system", "Write a letter."), MessagesPlaceholder("history"), ("human", "{note}")]
)
ASKED = {
    "note": TEXT,
    "history": [("human", "Who?"), AIMessage("Mr. John Okafor", id="a", response_metadata={"m": 1})],
}


@pytest.fixture
def seen():
    return []


@pytest.fixture
def language_model(seen):
    def answer(prompts):
        seen.extend(prompts)
        yield from ANSWER

    async def answer_later(prompts):
        seen.extend([prompt async for prompt in prompts])
        for chunk in ANSWER:
            yield chunk

    return RunnableGenerator(answer, answer_later)


@pytest.fixture
def session():
    with Session() as opened:
        yield opened


def test_a_chat_prompt_is_the_first_step(language_model, session, seen):
    chain = CHAT | deidentify(language_model, session) | StrOutputParser()
    assert chain.invoke(ASKED) == RESTORED
    ((system, first, second, last),) = seen
    assert (system, first) == (SystemMessage("Write a letter."), HumanMessage("Who?"))
    assert (second, last) == (AIMessage("Mr. [PATIENT_1]"), HumanMessage(HIDDEN))


def test_the_answer_is_a_stream_and_batches_work(language_model, session, seen):
    chain = CHAT | deidentify(language_model, session)
    assert "".join(chain.stream(ASKED)) == RESTORED and len(list(chain.stream(ASKED))) > 2
    assert chain.batch([ASKED] * 5) == [RESTORED] * 5
    assert "Okafor" not in str(seen)


def test_the_chain_runs_in_an_event_loop(language_model, session, seen):
    chain = CHAT | deidentify(language_model, session)

    async def collect():
        return await chain.ainvoke(ASKED), [chunk async for chunk in chain.astream(ASKED)]

    whole, chunks = asyncio.run(collect())
    assert whole == "".join(chunks) == RESTORED and "Okafor" not in str(seen)


@pytest.mark.parametrize(
    ("first", "sent"), [(TEXT, HIDDEN), (PromptTemplate.from_template("{a}").invoke({"a": TEXT}), HIDDEN)]
)
def test_a_text_stays_a_text(language_model, session, seen, first, sent):
    assert deidentify(language_model, session).invoke(first) == RESTORED
    assert seen == [sent]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"note": TEXT}, "a dict; wanted a text, a prompt or messages"),
        (ImagePromptValue(image_url={"url": "okafor.png"}), "ImagePromptValue"),
        ([], "no messages"),
        ([HumanMessage("ok"), HumanMessage(TEXT, name="Okafor")], "message 2 has name"),
        ([HumanMessage([{"type": "text", "text": TEXT}])], "message 1 has no text"),
        ([HumanMessage("x", additional_kwargs={"okafor": TEXT})], "message 1 has additional_kwargs"),
        (
            [AIMessage("", tool_calls=[{"name": "f", "args": {"a": TEXT}, "id": "1"}])],
            "message 1 has tool_calls",
        ),
        ([ToolMessage(TEXT, tool_call_id="1")], "message 1 is a ToolMessage"),
        ([ChatMessage(TEXT, role="Okafor")], "message 1 is a ChatMessage"),
        ([HumanMessage(TEXT, okafor="Okafor")], "message 1 has 1 fields that are not listed"),
    ],
)
def test_what_would_leave_unseen_is_refused(language_model, session, seen, given, said):
    with pytest.raises(SessionError, match=said) as refused:
        deidentify(language_model, session).invoke(given)
    assert "kafor" not in str(refused.value) and seen == []


def test_after_the_session_nothing_is_sent(language_model, seen):
    with Session() as session:
        chain = deidentify(language_model, session)
    with pytest.raises(SessionError, match="closed"):
        chain.invoke(TEXT)
    assert seen == []
