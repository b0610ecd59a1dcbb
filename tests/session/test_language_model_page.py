"""Every example of docs/language_models.md runs as it is on the page."""

import asyncio
import contextlib
import io
import sys
import types

import pytest

from crfdeid import files
from crfdeid.session import Session

pytestmark = pytest.mark.usefixtures("models_once")

PAGE = (files.PACKAGE.parent / "docs/language_models.md").read_text("utf-8")
EXAMPLES = [block.split("```")[0] for block in PAGE.split("```python\n")[1:]]
FIRST, LITELLM, LANGCHAIN, CHAT = EXAMPLES
PROMPT = "Mr. John Okafor was seen on 3/14/2061."


def run(code: str) -> dict:
    names: dict = {}
    exec(compile(code, "docs/language_models.md", "exec"), names)
    return names


def say(content: str) -> types.SimpleNamespace:
    """A response of LiteLLM, or a chunk of one."""
    text = types.SimpleNamespace(content=content)
    return types.SimpleNamespace(choices=[types.SimpleNamespace(index=0, message=text, delta=text)])


@pytest.fixture
def hook(monkeypatch):
    module = types.ModuleType("litellm.integrations.custom_logger")
    module.CustomLogger = object  # type: ignore[attr-defined]
    for name in ("litellm", "litellm.integrations"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.delitem(sys.modules, "crfdeid.integrations.litellm", raising=False)
    return run(LITELLM)["hook"]


def ask(hook) -> dict:
    data = {"litellm_call_id": "7", "messages": [{"role": "user", "content": PROMPT}]}
    return asyncio.run(hook.async_pre_call_hook(None, None, data, "completion"))


def test_the_first_example_prints_what_the_page_says():
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        run(FIRST)
    assert out.getvalue() == PAGE.split("It prints:\n\n```\n")[1].split("```")[0]


def test_the_hook_redacts_a_call_and_restores_its_answer(hook):
    data = ask(hook)
    assert data["messages"] == [{"role": "user", "content": "Mr. [PATIENT_1] was seen on [DATE_1]."}]
    answer = asyncio.run(hook.async_post_call_success_hook(data, None, say("On [DATE_1]: [PATIENT_1]'s")))
    assert answer.choices[0].message.content == "On 3/14/2061: John Okafor's"
    assert hook.sessions == {}


def test_the_hook_restores_a_stream(hook):
    data = ask(hook)

    async def stream():
        for content in ("I saw [PAT", "IENT_1] and", None, " [DATE", "_1"):
            yield say(content)

    async def collect():
        chunks = hook.async_post_call_streaming_iterator_hook(None, stream(), data)
        return [chunk.choices[0].delta.content async for chunk in chunks]

    assert asyncio.run(collect()) == ["I saw ", "John Okafor and", "", " ", "[3/14/2061"]
    assert hook.sessions == {}


def test_the_hook_refuses_what_it_cannot_redact_and_closes_after_a_failure(hook):
    image = {"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}
    with pytest.raises(ValueError, match="only messages of text"):
        asyncio.run(hook.async_pre_call_hook(None, None, {"litellm_call_id": "8"} | image, "completion"))
    asyncio.run(hook.async_post_call_failure_hook(ask(hook), RuntimeError(), None))
    asyncio.run(hook.async_post_call_failure_hook({}, RuntimeError(), None))
    assert hook.sessions == {}


def test_a_chain_of_langchain_redacts_and_restores():
    pytest.importorskip("langchain_core", reason="langchain-core is not installed")
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel

    answers = iter(["Mr. [PATIENT_1] on [DATE_1]."] * 2)
    with Session() as session:
        chain = run(LANGCHAIN)["build_chain"](GenericFakeChatModel(messages=answers), session)
        assert "".join(chain.stream({"note": PROMPT})) == "Mr. John Okafor on 3/14/2061."
        assert chain.invoke({"note": PROMPT}) == "Mr. John Okafor on 3/14/2061."


def test_a_conversation_keeps_its_placeholders():
    asked = []

    def ask(messages):
        asked.append([message["content"] for message in messages])
        yield from ("To [PAT", "IENT_1].")

    answers = list(run(CHAT)["chat"](ask, [PROMPT, "And what of John Okafor?"]))
    assert answers == ["To John Okafor.", "To John Okafor."]
    assert asked[1] == [
        "Mr. [PATIENT_1] was seen on [DATE_1].",
        "To [PATIENT_1].",
        "And what of [PATIENT_1]?",
    ]


CALL = {"model": "m", "temperature": 0.1, "messages": [{"role": "user", "content": PROMPT}]}
ASKED = CALL["messages"][0]


@pytest.mark.parametrize(
    ("call_type", "changes", "said"),
    [
        ("aembedding", {"input": [PROMPT]}, "a call of type aembedding"),
        ("atext_completion", {"prompt": PROMPT}, "a call of type atext_completion"),
        ("acompletion", {"tools": [{"function": {"description": PROMPT}}]}, "the call has tools"),
        ("acompletion", {"user": "John Okafor"}, "the call has user"),
        ("acompletion", {"metadata": {"patient": "John Okafor"}}, "the call has metadata"),
        ("acompletion", {"stop": ["Okafor"]}, "the call has stop"),
        ("acompletion", {"okafor": 1}, "1 keys that are not listed"),
        ("acompletion", {"temperature": "John Okafor"}, "temperature: wanted a number"),
        ("acompletion", {"stream_options": {"Okafor": "x"}}, "stream_options"),
        ("acompletion", {"messages": [ASKED | {"name": "Okafor"}]}, "message 1 has more than"),
        ("acompletion", {"messages": [ASKED, {"role": "Okafor", "content": ""}]}, "message 2 has more than"),
        (
            "acompletion",
            {"messages": [ASKED | {"content": "", "tool_calls": [PROMPT]}]},
            "message 1 has more",
        ),
        ("acompletion", {"messages": None}, "no messages"),
    ],
)
@pytest.mark.parametrize("is_proxy", [False, True])
def test_the_hook_refuses_what_would_leave_unseen(hook, call_type, changes, said, is_proxy):
    body = CALL | changes
    data = body | {"litellm_call_id": "9"}
    if is_proxy:
        data |= {"proxy_server_request": {"url": "/", "body": body}, "metadata": {"user_api_key": "k"}}
    with pytest.raises(ValueError, match=said) as refused:
        asyncio.run(hook.async_pre_call_hook(None, None, data, call_type))
    assert "Okafor" not in str(refused.value) and hook.sessions == {}


@pytest.mark.parametrize("key", ["user", "tools", "extra_body"])
def test_the_hook_refuses_what_stands_beside_the_request(hook, key):
    """Another hook, or a header, adds it to what the client has sent."""
    data = {**CALL, key: "Okafor", "litellm_call_id": "9", "proxy_server_request": {"body": CALL}}
    with pytest.raises(ValueError, match=f"the call has {key}"):
        asyncio.run(hook.async_pre_call_hook(None, None, data, "acompletion"))


def test_what_loggers_read_of_the_request_is_redacted(hook):
    data = {"litellm_call_id": "9", "metadata": {"user_api_key": "k"}, **CALL}
    data["proxy_server_request"] = {"url": "/", "body": CALL}
    sent = asyncio.run(hook.async_pre_call_hook(None, None, data, "acompletion"))
    assert "Okafor" not in str(sent) and sent["messages"][0]["content"].startswith("Mr. [PATIENT_1]")
    assert sent["metadata"] == {"user_api_key": "k"} and "Okafor" in str(CALL)
