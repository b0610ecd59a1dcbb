"""A hook for the proxy of LiteLLM: prompts leave redacted, and answers come back restored.

It fails closed: a call of another type than chat, a key that is not listed, and a message with anything but a
role and a text are refused, because nobody has looked for names there.

    # crfdeid_hook.py, beside the configuration of the proxy: litellm_settings: {callbacks: crfdeid_hook.hook}
    from crfdeid.integrations.litellm import Deidentify

    hook = Deidentify()
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

from litellm.integrations.custom_logger import CustomLogger

from crfdeid.session import Session
from crfdeid.session.restorer import AnswerQueue, StreamRestorer
from crfdeid.systems import model
from crfdeid.systems.tagger import Tagger

CALLS = ("completion", "acompletion")
NUMBERS = (  # keys of a call whose values are numbers, true or false, and so hold no text
    "stream", "temperature", "top_p", "n", "max_tokens", "max_completion_tokens", "presence_penalty",
    "frequency_penalty", "seed", "logprobs", "top_logprobs",
)  # fmt: skip
STREAM_OPTIONS = ("include_usage",)
KEYS = frozenset({"model", "messages", "stream_options", *NUMBERS})
MESSAGE_KEYS = frozenset({"role", "content"})
ROLES = ("system", "developer", "user", "assistant")
REQUEST = "proxy_server_request"  # where the proxy keeps what the client has sent
OWN = ("litellm_call_id", "litellm_logging_obj", REQUEST)
PROXYS = frozenset({"metadata"})  # the proxy's notes on a call, unless the client's request has it


class RefusedCallError(ValueError):
    """A call that was not sent on. Its message has no text of the call."""


class Deidentify(CustomLogger):
    """One session for each call, which is closed when its answer is out. ``tagger`` finds the PHI (default:
    :data:`crfdeid.systems.model.CAREFUL`)."""

    def __init__(self, tagger: Tagger | None = None) -> None:
        super().__init__()
        self.tagger = tagger or model.load(model.CAREFUL)
        self.sessions: dict[str, Session] = {}

    async def async_pre_call_hook(
        self, user_api_key_dict: Any, cache: Any, data: dict[str, Any], call_type: str
    ) -> dict[str, Any]:
        """Redact the messages of a call. Raises :class:`RefusedCallError` for what cannot be redacted."""
        sent = list_sent(data)
        check_call(str(getattr(call_type, "value", call_type)), sent)
        if data["litellm_call_id"] in self.sessions:  # a client can choose it
            raise RefusedCallError("a call with the id of another one that has no answer yet")
        session = Session(self.tagger)
        data["messages"] = [
            {"role": message["role"], "content": session.redact(message["content"])}
            for message in data["messages"]
        ]
        if REQUEST in data:  # loggers read it
            data[REQUEST] = {**data[REQUEST], "body": {**sent, "messages": data["messages"]}}
        self.sessions[data["litellm_call_id"]] = session
        return data

    async def async_post_call_success_hook(
        self, data: Mapping[str, Any], user_api_key_dict: Any, response: Any
    ) -> Any:
        """Restore the texts of an answer."""
        with self.sessions.pop(data["litellm_call_id"]) as session:
            for choice in response.choices:
                choice.message.content = session.restore(choice.message.content or "")
        return response

    async def async_post_call_streaming_iterator_hook(
        self, user_api_key_dict: Any, response: AsyncIterator[Any], request_data: Mapping[str, Any]
    ) -> AsyncIterator[Any]:
        """Restore the answers of a stream, each by itself (``n``); the last chunk of an answer waits for what
        is held back, and a chunk without text, such as the usage, for the chunks before it."""
        with self.sessions.pop(request_data["litellm_call_id"]) as session:
            streams: dict[int, StreamRestorer] = {}
            queue: AnswerQueue[Any] = AnswerQueue()
            async for chunk in response:
                for choice in chunk.choices:
                    stream = streams.setdefault(choice.index, session.open_stream())
                    choice.delta.content = stream.feed(choice.delta.content or "")
                for ready in queue.add(chunk, {choice.index for choice in chunk.choices}):
                    yield ready
            for chunk, ended in queue.finish():
                for choice in reversed(chunk.choices):
                    if choice.index in ended:
                        ended.remove(choice.index)
                        choice.delta.content += streams[choice.index].finish()
                yield chunk

    async def async_post_call_failure_hook(
        self, request_data: Mapping[str, Any], original_exception: Exception, *others: Any, **named: Any
    ) -> None:
        """Close the session of a call that failed."""
        if session := self.sessions.pop(request_data.get("litellm_call_id", ""), None):
            session.close()


# Keys that a client may send and that can hold text: looked for where the proxy does not keep the request.
SENT = KEYS | {
    "input", "prompt", "tools", "tool_choice", "functions", "function_call", "user", "metadata", "stop",
    "suffix", "response_format", "logit_bias", "prediction", "audio", "modalities", "extra_body", "store",
    "file", "query", "documents", "instructions", "web_search_options", "parallel_tool_calls",
    "service_tier", "reasoning_effort",
}  # fmt: skip


def list_sent(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what leaves with a call: the request of the client, and what was added to it beside the proxy's
    own. Without the request nobody knows what the proxy has added, so that all but the id counts."""
    body = (data.get(REQUEST) or {}).get("body")
    if not body:
        return {key: data[key] for key in data if key not in OWN}
    return {**{key: data[key] for key in data if key in SENT - PROXYS}, **body}


def check_call(call_type: str, sent: Mapping[str, Any]) -> None:
    """Raise :class:`RefusedCallError` where something of a call would leave unseen."""
    if call_type not in CALLS:
        raise RefusedCallError(f"a call of type {call_type}; wanted a chat: only that is redacted")
    if unknown := sorted(key for key in sent if key not in KEYS):
        known = [key for key in unknown if key in SENT]
        named = ", ".join(known) or f"{len(unknown)} keys that are not listed"
        raise RefusedCallError(f"the call has {named}, which would leave as they are; wanted messages only")
    name = sent.get("model", "")  # LiteLLM itself refuses a call without one
    if not isinstance(name, str) or any(map(str.isspace, name)):
        raise RefusedCallError("model: wanted the name of a model, without a blank")
    for key in NUMBERS:
        if not isinstance(sent.get(key), (int, float, type(None))):
            raise RefusedCallError(f"{key}: wanted a number, true or false")
    options = sent.get("stream_options") or {}
    if not isinstance(options, dict) or any(
        key not in STREAM_OPTIONS or not isinstance(value, bool) for key, value in options.items()
    ):
        raise RefusedCallError(f"stream_options: wanted {' or '.join(STREAM_OPTIONS)}, true or false")
    messages = sent.get("messages")
    if not isinstance(messages, list) or not messages:
        raise RefusedCallError("no messages; wanted a list of them")
    for number, message in enumerate(messages, 1):
        check_message(number, message)


def check_message(number: int, message: Any) -> None:
    """Raise :class:`RefusedCallError` where a message is more than a role and a text."""
    if not isinstance(message, dict) or not isinstance(message.get("content"), str):
        raise RefusedCallError(f"message {number} has no text; wanted only messages of text")
    if set(message) != MESSAGE_KEYS or message["role"] not in ROLES:
        raise RefusedCallError(
            f"message {number} has more than a role and a text, such as a name; wanted only messages of text"
        )
