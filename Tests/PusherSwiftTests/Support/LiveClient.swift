import Dispatch
import LifelineServer
import NIOConcurrencyHelpers

@testable import PusherSwift

/// A client of a server in the same process, with the fast profile and its callbacks on a queue of its own.
struct LiveClient {
    let pusher: Pusher
    let diary: Diary

    init(
        _ server: LifelineServer, key: String = "app-key", secret: String = "app-secret", user: String? = nil,
        autoReconnect: Bool = true
    ) {
        self.init(port: server.port, key: key, method: .inline(secret: secret), user: user, autoReconnect: autoReconnect)
    }

    init(port: Int, key: String = "app-key", method: AuthMethod, user: String? = nil, autoReconnect: Bool = true) {
        let options = PusherClientOptions(
            authMethod: method, autoReconnect: autoReconnect, host: .host("127.0.0.1"), port: port, useTLS: false)
        options.callbackQueue = DispatchQueue(label: "live.callbacks")
        options.timing = .fast
        options.backgroundGrace = 0
        pusher = Pusher(key: key, options: options)
        diary = Diary()
        pusher.delegate = diary
        if let user {
            pusher.connection.userDataFetcher = { PusherPresenceChannelMember(userId: user, userInfo: ["name": user]) }
        }
    }
}

/// Lines that can be waited for.
final class Diary: PusherDelegate, Sendable {
    private struct State {
        var lines: [String] = []
        var waiting: [(isDone: @Sendable ([String]) -> Bool, resume: CheckedContinuation<[String], Never>)] = []
    }

    private let state = NIOLockedValueBox(State())

    var lines: [String] { state.withLockedValue { $0.lines } }
    var states: [String] { lines.filter { $0.contains("→") } }

    func note(_ line: String) {
        let (lines, done) = state.withLockedValue { state in
            state.lines.append(line)
            let lines = state.lines
            let done = state.waiting.filter { $0.isDone(lines) }
            state.waiting.removeAll { $0.isDone(lines) }
            return (lines, done)
        }
        for waiter in done { waiter.resume.resume(returning: lines) }
    }

    /// Waits until the lines are as asked for. Tests have a time limit for the case that they never are.
    @discardableResult
    func wait(until isDone: @escaping @Sendable ([String]) -> Bool) async -> [String] {
        await withCheckedContinuation { continuation in
            let lines = state.withLockedValue { state -> [String]? in
                if isDone(state.lines) { return state.lines }
                state.waiting.append((isDone, continuation))
                return nil
            }
            if let lines { continuation.resume(returning: lines) }
        }
    }

    /// Waits until `line` has come `times` times.
    @discardableResult
    func wait(for line: String, times: Int = 1) async -> [String] {
        await wait { lines in lines.count { $0 == line } >= times }
    }

    func changedConnectionState(from old: ConnectionState, to new: ConnectionState) {
        note("\(old.stringValue())→\(new.stringValue())")
    }

    func subscribedToChannel(name: String) { note("subscribed \(name)") }

    func receivedError(error: PusherError) { note("error \(error)") }
}
