"""A language model of LangChain behind a session: prompts leave redacted, answers come back restored
(docs/language_models.md). Needs the extra ``langchain``.

    chain = ChatPromptTemplate([("human", "{note}")]) | deidentify(language_model, session)

It fails closed: an input that is not a text, a prompt or messages of text is refused, because nobody has
looked for names there.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from threading import Lock
from typing import Any

from langchain_core.language_models import LanguageModelLike
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.messages.utils import convert_to_messages
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompt_values import ChatPromptValue, StringPromptValue
from langchain_core.runnables import Runnable, RunnableGenerator, RunnableLambda

from crfdeid.session import Session, SessionError

KINDS = (SystemMessage, HumanMessage, AIMessage)
EMPTY = ("name", "additional_kwargs", "tool_calls", "invalid_tool_calls")  # each may hold a text
LEFT_OUT = ("type", "id", "response_metadata", "usage_metadata")  # LangChain's own, which are not sent on


def deidentify(language_model: LanguageModelLike, session: Session) -> Runnable[Any, str]:
    """Return the steps redact, language model, restore; they give the text of the answer, also as a stream.
    A step raises :class:`SessionError` for what it cannot redact. What is bound to the language model
    (``bind(stop=…)``, tools) goes out as it is."""
    lock = Lock()  # a batch redacts in several threads

    def redact(given: Any) -> Any:
        with lock:
            return redact_input(given, session)

    def restore(chunks: Iterator[str]) -> Iterator[str]:
        yield from session.restore_stream(chunks)

    async def restore_later(chunks: AsyncIterator[str]) -> AsyncIterator[str]:
        stream = session.open_stream()
        async for chunk in chunks:
            if restored := stream.feed(chunk):
                yield restored
        if rest := stream.finish():
            yield rest

    restorer = RunnableGenerator(restore, restore_later)
    return RunnableLambda(redact) | language_model | StrOutputParser() | restorer


def redact_input(given: Any, session: Session) -> str | list[BaseMessage]:
    """Redact what comes to a language model. Raises :class:`SessionError` if it holds more than text."""
    if isinstance(given, StringPromptValue):
        given = given.text
    if isinstance(given, str):
        return session.redact(given)
    if isinstance(given, ChatPromptValue):
        given = given.messages
    if not isinstance(given, list):
        raise SessionError(f"a {type(given).__name__}; wanted a text, a prompt or messages: nothing was sent")
    return redact_messages(convert(given), session)


def convert(given: list[Any]) -> list[BaseMessage]:
    """Make messages of what LangChain takes for them, such as a pair of role and text."""
    try:
        return convert_to_messages(given)
    except Exception as error:  # its message quotes the input
        raise SessionError(f"not messages ({type(error).__name__}): nothing was sent") from None


def redact_messages(messages: list[BaseMessage], session: Session) -> list[BaseMessage]:
    """Redact the texts of messages."""
    if not messages:
        raise SessionError("no messages; wanted at least one")
    for number, message in enumerate(messages, 1):
        check_message(number, message)
    texts = session.redact_all([str(message.content) for message in messages])
    return [type(message)(text) for message, text in zip(messages, texts, strict=True)]


def check_message(number: int, message: BaseMessage) -> None:
    """Raise :class:`SessionError` where a message is more than a text by a known role."""
    if type(message) not in KINDS:
        wanted = ", ".join(kind.__name__ for kind in KINDS)
        raise SessionError(f"message {number} is a {type(message).__name__}; wanted one of {wanted}")
    if not isinstance(message.content, str):
        raise SessionError(f"message {number} has no text; wanted only messages of text")
    if filled := [name for name in EMPTY if getattr(message, name, None)]:
        raise SessionError(f"message {number} has {', '.join(filled)}; wanted only a text")
    if unknown := set(message.__dict__ | (message.model_extra or {})) - {"content", *EMPTY, *LEFT_OUT}:
        raise SessionError(
            f"message {number} has {len(unknown)} fields that are not listed; wanted only a text"
        )
