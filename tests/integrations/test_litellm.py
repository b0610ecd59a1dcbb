"""The hook in the hands of the real library: its calls, its answers, every type of call and every key."""

import asyncio
import inspect
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


def make_chunk(*found):
    return ModelResponseStream(
        choices=[StreamingChoices(index=number, delta=Delta(content=text)) for number, text in found]
    )


def restore_chunks(hook, chunks):
    """The chunks that come out of the hook for chunks of a stream, and the texts of its answers."""
    data = send(hook, make_call(stream=True, n=3))

    async def stream():
        for chunk in chunks:
            yield chunk

    async def collect():
        restored = hook.async_post_call_streaming_iterator_hook(None, stream(), data)
        return [chunk async for chunk in restored]

    answers = dict.fromkeys(range(3), "")
    restored = asyncio.run(collect())
    for choice in (choice for chunk in restored for choice in chunk.choices):
        answers[choice.index] += choice.delta.content
    return restored, answers


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
    parts = [(0, "Dear [PAT"), (1, "On [DA"), (0, "IENT_1], bye [PAT"), (1, "TE_1]")]
    if together:
        parts = [*parts[2:], (0, "")]
    first = [make_chunk((0, "Dear [PAT"), (1, "On [DA"))] if together else []
    chunks, answers = restore_chunks(hook, [*first, *map(make_chunk, parts), make_chunk()])
    assert answers == {0: "Dear John Okafor, bye [PAT", 1: "On 3/14/2061", 2: ""} and not chunks[-1].choices


CUT = st.lists(st.tuples(st.lists(st.integers(0, 2), max_size=4), st.integers(1, 9)), max_size=60)


@settings(max_examples=60, deadline=None)
@given(CUT, st.booleans())
def test_any_chunking_of_a_stream_restores_all_answers(hook, cut, ends_with_usage):
    """Each chunk has a piece of some answers, of one answer twice, or of none."""
    left = {number: ANSWER * (number + 1) for number in range(3)}
    chunks = []
    for numbers, size in [*cut, *[([number], 40) for number in range(3) for _ in range(number + 1)]]:
        found = []
        for number in numbers:
            found.append((number, left[number][:size]))
            left[number] = left[number][size:]
        chunks.append(make_chunk(*found))
    chunks += [make_chunk()] * ends_with_usage
    restored, answers = restore_chunks(hook, chunks)
    assert answers == {number: RESTORED * (number + 1) for number in range(3)}
    assert sorted(map(id, restored)) == sorted(map(id, chunks))
    assert not ends_with_usage or not restored[-1].choices


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


@pytest.mark.parametrize(
    "options",
    [{"Ana Okafor": True}, {"include_usage": True, "Okafor": False}, {"include_usage": "Okafor"}, ["x"]],
)  # fmt: skip
def test_the_options_of_a_stream_carry_no_text_out(hook, options):
    with pytest.raises(RefusedCallError, match="^stream_options: wanted include_usage, true or false$"):
        send(hook, make_call(stream=True, stream_options=options))
    assert hook.sessions == {}


def test_a_call_with_the_id_of_another_one_that_waits_is_refused(hook):
    """The answer of one would be restored with the names of the other."""
    send(hook, make_call())
    with pytest.raises(RefusedCallError, match="^a call with the id of another one that has no answer yet"):
        send(hook, make_call(messages=[{"role": "user", "content": "Mrs. Ana Ruiz is well."}]))
    asyncio.run(hook.async_post_call_failure_hook({"litellm_call_id": "1"}, ValueError()))
    assert hook.sessions == {}
