import ConnectionEngine
import Lifeline
import Testing

@testable import LifelineCommand

@Suite("From events to lines")
struct ListenTranslatorTests {
    @Test("CL-2, CL-3: phases become the words of the design, and a status is told only when it differs")
    func statuses() {
        var translator = ListenTranslator(subscriber: "a", showsPresence: true)
        let phases: [ConnectionPhase] = [
            .connecting, .waiting, .suspended, .connecting, .waiting, .connecting, .connected, .disconnecting, .disconnected,
            .connecting, .failed,
        ]
        let words = phases.flatMap { phase in
            translator.lines(for: .status(ConnectionStatus(phase: phase, category: .timeout)))
        }.compactMap { line in
            if case .status(let status) = line.content { status.word.rawValue } else { nil }
        }
        #expect(
            words == [
                "connecting", "reconnecting", "connecting", "reconnecting", "connecting", "connected", "disconnecting",
                "disconnected", "connecting", "failed",
            ])
        #expect(translator.status == .failed)
    }

    @Test("CL-2: a status carries cause, code, attempt and delay; failed is disconnected in Pusher's words")
    func statusFields() {
        let cause = ConnectionFailure(.serverRestart, "Restart.", origin: .server, closeCode: 4200)
        let waiting = ListenLine.Status(
            ConnectionStatus(
                phase: .waiting, category: .serverRestart, cause: cause, attempt: 1, retryIn: .milliseconds(500),
                willRetry: true))
        #expect(
            waiting
                == ListenLine.Status(
                    word: .reconnecting, category: "serverRestart", attempt: 1, retryIn: .milliseconds(500), willRetry: true,
                    isError: true, code: 4200, reason: "Restart.", vendor: "reconnecting"))
        let failed = ListenLine.Status(ConnectionStatus(phase: .failed, category: .refused))
        #expect(failed?.vendor == "disconnected")
        #expect(failed?.isError == true)
        #expect(ListenLine.Status(ConnectionStatus(phase: .idle, category: .disconnected)) == nil)
    }

    @Test("CL-4: what could not be printed in time is a gap of every subscribed channel")
    func dropped() {
        var translator = ListenTranslator(subscriber: "a", showsPresence: true)
        for channel in ["a", "b", "c"] {
            _ = translator.lines(for: .subscribed(channel: channel, isRenewal: false, at: .zero))
        }
        _ = translator.lines(for: .subscribed(channel: "a", isRenewal: true, at: .zero))
        _ = translator.lines(for: .unsubscribed(channel: "b", at: .zero))
        let since = Moment(nanoseconds: 7)
        let lines = translator.lines(for: .dropped(12, since: since, at: Moment(nanoseconds: 9)))
        #expect(lines.map(\.content) == [.gap(channel: "a", since: since), .gap(channel: "c", since: since)])
        #expect(lines.allSatisfy { $0.at.nanoseconds == 9 })
    }

    @Test("Presence is told only when it is asked for")
    func presence() {
        let change = PresenceChange(channel: "p", action: .leave, member: Member(id: "u"), count: 2)
        var quiet = ListenTranslator(subscriber: "a", showsPresence: false)
        #expect(quiet.lines(for: .presence(change, at: .zero)).isEmpty)
        var loud = ListenTranslator(subscriber: "a", showsPresence: true)
        #expect(
            loud.lines(for: .presence(change, at: .zero)).map(\.content) == [
                .presence(channel: "p", action: "leave", user: "u", count: 2)
            ])
    }

    @Test("CL-5: an outcome is one line, and what went wrong comes right before it")
    func outcomes() {
        let translator = ListenTranslator(subscriber: "a", showsPresence: false)
        #expect(
            translator.lines(for: .accepted(id: nil), in: "r", at: .zero).map(\.content) == [
                .published(channel: "r", outcome: "accepted", id: nil)
            ])
        let error = LifelineError(.timeout, "Late.")
        #expect(
            translator.lines(for: .unknown(error), in: "r", at: .zero).map(\.content) == [
                .error(channel: "r", category: "timeout", code: nil, reason: "Late."),
                .published(channel: "r", outcome: "unknown", id: nil),
            ])
    }

    @Test("CL-93: it has listened when it was connected, and at least one channel was confirmed if any was refused")
    func hasListened() {
        var translator = ListenTranslator(subscriber: "a", showsPresence: false)
        _ = translator.lines(for: .status(ConnectionStatus(phase: .connecting, category: .connecting)))
        #expect(!translator.hasListened)
        _ = translator.lines(for: .status(ConnectionStatus(phase: .connected, category: .connected)))
        #expect(translator.hasListened)
        let denied = LifelineError(.unsupported, "no")
        _ = translator.lines(for: .problem(denied, channel: "private-a", willRetry: false, at: .zero))
        #expect(!translator.hasListened)
        _ = translator.lines(for: .subscribed(channel: "b", isRenewal: false, at: .zero))
        #expect(translator.hasListened)
    }
}
