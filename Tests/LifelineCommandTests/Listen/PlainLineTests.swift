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

    private func text(_ content: ListenLine.Content) -> String {
        plain.text(ListenLine(at: Moment(nanoseconds: 5), subscriber: "a", content: content))
    }
}
