import ConnectionEngine
import Testing

@testable import LifelineCommand

@Suite("Lines for people")
struct PlainLineTests {
    private let plain = PlainLine(colours: .off) { "at \($0.nanoseconds)" }

    @Test("Time, kind and what happened stand in columns")
    func columns() {
        #expect(text(.subscribed(channel: "room")) == "at 5  subscribed     room")
        #expect(
            text(.message(channel: "room", event: "e", data: "1", id: nil, user: "ann"))
                == "at 5  message        room  e  1  from ann")
        let status = ListenLine.Status(
            word: .reconnecting, category: "timeout", attempt: 2, retryIn: .milliseconds(1_239), willRetry: true, isError: true,
            code: 4200, reason: "Silence.", vendor: "reconnecting")
        #expect(text(.status(status)) == "at 5  reconnecting   Silence. [code 4200] Retry 2 in 1.23 s.")
    }

    @Test("Colours are there when they are wanted, and only then")
    func colours() {
        let line = ListenLine(at: .zero, subscriber: "a", content: .gap(channel: "r", since: .zero))
        #expect(!plain.text(line).contains("\u{1B}"))
        #expect(PlainLine(colours: Colours(isOn: true)) { _ in "" }.text(line).contains("\u{1B}[33mgap"))
    }

    @Test("CL-21: what others wrote moves no cursor and begins no line")
    func hostile() {
        let line = text(
            .message(channel: "r\u{9B}2J", event: "e\u{1B}]0;x\u{7}", data: "{\n\t1}", id: nil, user: "\u{202E}nna\u{2028}é👩‍👧"))
        #expect(line == #"at 5  message        r\u009B2J  e\u001B]0;x\u0007  {  1}  from \u202Enna\u2028é👩‍👧"#)
        #expect("plain é".printable == "plain é")
    }

    private func text(_ content: ListenLine.Content) -> String {
        plain.text(ListenLine(at: Moment(nanoseconds: 5), subscriber: "a", content: content))
    }
}
