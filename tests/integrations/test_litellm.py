"""The hook in the hands of the real library: its calls, its answers, every type of call and every key."""

import asyncio
import inspect
import os

import pytest

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # the library would ask the network for it
pytest.importorskip("litellm", reason="litellm is not installed")

import litellm
from litellm.types.utils import CallTypes, Delta, ModelResponseStream, StreamingChoices

from crfdeid.integrations.litellm import CALLS, KEYS, Deidentify, RefusedCallError
from crfdeid.systems import model

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:pydantic")

TEXT = "Mr. John Okafor was seen on 3/14/2061."
ANSWER, RESTORED = "Dear [PATIENT_1], on [DATE_1].", "Dear John Okafor, on 3/14/2061."


@pytest.fixture(scope="module")
def hook():
    return Deidentify(model.load("rules"))


def make_call(**keys):
    return {"model": "gpt-4o", "messages": [{"role": "user", "content": TEXT}], **keys}


def send(hook, body, call_type="acompletion"):
    data = {**body, "litellm_call_id": "1", "proxy_server_request": {"url": "/", "body": body}}
    return asyncio.run(hook.async_pre_call_hook(None, None, data, call_type))


def test_an_answer_of_the_library_is_restored(hook):
    data = send(hook, make_call())
    assert "Okafor" not in str(data["messages"])
    answer = litellm.completion(model="gpt-4o", messages=data["messages"], mock_response=ANSWER)
    restored = asyncio.run(hook.async_post_call_success_hook(data, None, answer))
    assert restored.choices[0].message.content == RESTORED and hook.sessions == {}


def test_a_stream_of_the_library_is_restored(hook):
    data = send(hook, make_call(stream=True))

    async def collect():
        stream = await litellm.acompletion(
            model="gpt-4o", messages=data["messages"], mock_response=ANSWER, stream=True
        )
        chunks = hook.async_post_call_streaming_iterator_hook(None, stream, data)
        return [chunk.choices[0].delta.content or "" async for chunk in chunks]

    assert "".join(asyncio.run(collect())) == RESTORED and hook.sessions == {}


@pytest.mark.parametrize("together", [False, True])
def test_answers_of_one_stream_are_restored_one_by_one(hook, together):
    """With n=2 the end of one answer came in the other, and placeholders that were cut stayed."""
    data = send(hook, make_call(stream=True, n=2))
    parts = [(0, "Dear [PAT"), (1, "On [DA"), (0, "IENT_1], bye [PAT"), (1, "TE_1]")]
    if together:
        parts = [*parts[2:], (0, "")]

    def make_chunk(*found):
        return ModelResponseStream(
            choices=[StreamingChoices(index=number, delta=Delta(content=text)) for number, text in found]
        )

    async def collect():
        async def stream():
            if together:
                yield make_chunk((0, "Dear [PAT"), (1, "On [DA"))
            for part in parts:
                yield make_chunk(part)
            yield make_chunk()

        chunks = hook.async_post_call_streaming_iterator_hook(None, stream(), data)
        return [chunk async for chunk in chunks]

    chunks = asyncio.run(collect())
    answers = {0: "", 1: ""}
    for choice in (choice for chunk in chunks for choice in chunk.choices):
        answers[choice.index] += choice.delta.content
    assert answers == {0: "Dear John Okafor, bye [PAT", 1: "On 3/14/2061"} and not chunks[-1].choices


@pytest.mark.parametrize("name", ["gpt for John Okafor", None, 4])
def test_the_name_of_a_model_has_no_blank(hook, name):
    with pytest.raises(RefusedCallError, match="model: wanted"):
        send(hook, make_call() | {"model": name})


@pytest.mark.parametrize("call_type", sorted({each.value for each in CallTypes} - set(CALLS)))
def test_every_other_type_of_call_is_refused(hook, call_type):
    with pytest.raises(RefusedCallError, match="a call of type"):
        send(hook, make_call(), call_type)


@pytest.mark.parametrize("has_request", [True, False])
def test_no_parameter_of_the_library_carries_a_text_out(hook, has_request):
    names = set(inspect.signature(litellm.completion).parameters) - KEYS - {"kwargs"}
    for name in sorted(names):
        body = make_call(**{name: TEXT})
        request = {"proxy_server_request": {"body": body}} if has_request else {}
        with pytest.raises(RefusedCallError):
            data = {**body, "litellm_call_id": "1", **request}
            asyncio.run(hook.async_pre_call_hook(None, None, data, "acompletion"))
