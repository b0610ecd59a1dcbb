from crfdeid.text.document import Document, Span, fingerprint_documents


def test_the_fingerprint_is_of_content_not_of_order():
    a, b = Document("a", "Ana Ruiz"), Document("b", "Ana Ruiz", (Span(0, 3, "PATIENT"),))
    assert fingerprint_documents([a, b]) == fingerprint_documents([b, a])
    assert fingerprint_documents([a, b]) != fingerprint_documents([a, b.with_spans([])])
