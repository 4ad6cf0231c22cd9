import Testing

@testable import ChatDatabase

@Suite("Words (CD-30 to CD-33)")
struct WordsTests {
    @Test(
        "Signs of scripts without spaces stand alone",
        arguments: [
            ("plain text, unchanged", "plain text, unchanged"), ("naïve Größe", "naïve Größe"),
            ("C++", "C +  + "), ("1<2", "1 < 2"), ("5 €", "5  € "), ("2 × 3", "2  ×  3"), ("#tag a@b", " # tag a @ b"),
            ("5£x", "5 £ x"), ("±2", " ± 2"), ("你好ab", " 你  好 ab"), ("go🚀up", "go 🚀 up"), ("한국어", "한국어"),
        ])
    func separated(text: String, expected: String) {
        #expect(Words.separated(text) == expected)
    }

    @Test(
        "Only the beginnings of long words are put together for each question",
        arguments: [
            ("abc", true), ("abcd", false), ("a-b", true), ("abcd-e", true), ("abcd e", true), ("e abcd", false), ("会议北京市", true),
            ("会abc", true),
            ("会abcd", false), ("abcd会", true), ("abc!", true), ("!", true), ("", true),
        ])
    func streamed(keyword: String, expected: Bool) {
        #expect(Words.isStreamed(keyword) == expected)
    }

    @Test("Long text is cut at a whole sign")
    func cut() {
        #expect(Words.separated("abcdef", limit: 4) == "abcd")
        #expect(Words.separated("ab纸c", limit: 4) == "ab")
    }

    @Test(
        "A keyword asks for all its parts, the last word may go on",
        arguments: [
            ("hello", "\"hello\"*"), (" hello  wor ", "\"hello\" AND \"wor\"*"), ("foo-bar", "\"foo-bar\"*"),
            ("你好", "\" 你  好 \""), ("C++", "\"C +  + \""), ("+", "\" + \""), ("€5", "\" € 5\"*"),
            ("say \"hi\"", "\"say\" AND \" hi \"*"), ("", nil), ("  ", nil), ("\"*()", nil),
            ("NOT", "\"NOT\"*"), ("!?", nil),
            // A mark behind a quote, or one that joins what follows, makes another Character of the quote, and none of its byte.
            ("a\"\u{301}b", "\"a \u{301}b\"*"), ("a\u{600}\"b", "\"a\u{600} b\"*"), ("a\u{0}b", "\"a b\"*"),
            ("a\"\r\nb", "\"a \" AND \"b\"*"),
        ] as [(String, String?)])
    func expression(keyword: String, expected: String?) {
        #expect(Words.expression(keyword) == expected)
    }

    @Test(
        "The words of a content are where its type has them",
        arguments: [
            ("RC:TxtMsg", #"{"content":"a b","extra":"x"}"#, "a b"), ("RC:TxtMsg", #"{"content":"a\nb"}"#, "a\nb"),
            ("RC:FileMsg", #"{"name":"report.pdf","size":3}"#, "report.pdf"), ("RC:ImgMsg", #"{"content":"aGVsbG8="}"#, nil),
            ("RC:LBSMsg", #"{"content":"aGVs","poi":"Old Town"}"#, "Old Town"), ("app:x", #"{"title":"t","text":"u"}"#, "t\nu"),
            ("RC:TxtMsg", #"{"content":7}"#, nil), ("RC:TxtMsg", "[]", nil), ("RC:TxtMsg", #"{"content":"a""#, nil),
            ("RC:TxtMsg", "{}", nil), ("RC:TxtMsg", #"{"a":{"content":"deep"}}"#, nil),
        ] as [(String, String, String?)])
    func words(type: String, content: String, expected: String?) {
        #expect(MessageText(type, Array(content.utf8)).words == expected)
    }

    @Test(
        "Mentions are of all, or of some",
        arguments: [
            (#"{"mentionedInfo":{"type":1}}"#, true), (#"{"mentionedInfo":{"type":2,"userIdList":["me"]}}"#, true),
            (#"{"mentionedInfo":{"type":2,"userIdList":["you"]}}"#, false), (#"{"mentionedInfo":{"type":2}}"#, false),
            (#"{"mentionedInfo":{"type":9}}"#, false), (#"{"mentionedInfo":"me"}"#, false), ("{}", false),
        ])
    func mentions(content: String, expected: Bool) {
        #expect(MessageText("RC:TxtMsg", Array(content.utf8)).mentions("me") == expected)
    }
}
