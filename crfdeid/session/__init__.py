"""Text on its way to a language model and back: redacted before, restored after.

>>> from crfdeid.session import Session
>>> with Session() as session:
...     prompt = session.redact("Mr. Okafor was seen on 3/4/2061 by Dr. Ruiz. Write to Okafor.")
...     answer = session.restore("Dear Mr. [PATIENT_1], on [date_1] you saw Dr. [DOCTOR_1].")
>>> prompt
'Mr. [PATIENT_1] was seen on [DATE_1] by Dr. [DOCTOR_1]. Write to [PATIENT_1].'
>>> answer
'Dear Mr. Okafor, on 3/4/2061 you saw Dr. Ruiz.'
"""

from crfdeid.session.restorer import AnswerQueue, Pair, Restorer, StreamRestorer
from crfdeid.session.session import Session, SessionError

__all__ = ["AnswerQueue", "Pair", "Restorer", "Session", "SessionError", "StreamRestorer"]
