import Foundation
import NIOConcurrencyHelpers
import PusherSwift

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Writes down what a delegate is told, one line each.
final class RecordingDelegate: PusherDelegate, Sendable {
    private struct State {
        var lines: [String] = []
        var log: [String] = []
        var failures: [Failure] = []
    }

    struct Failure: @unchecked Sendable {  // Immutable values of Foundation.
        var name: String
        var status: Int?
        var data: String?
        var error: NSError?
    }

    private let state = NIOLockedValueBox(State())

    /// Everything but the log.
    var lines: [String] { state.withLockedValue { $0.lines } }
    var log: [String] { state.withLockedValue { $0.log } }
    var failures: [Failure] { state.withLockedValue { $0.failures } }
    var states: [String] { lines.filter { $0.contains("→") } }

    func note(_ line: String) { state.withLockedValue { $0.lines.append(line) } }

    func debugLog(message: String) { state.withLockedValue { $0.log.append(message) } }

    func changedConnectionState(from old: ConnectionState, to new: ConnectionState) {
        note("\(old.stringValue())→\(new.stringValue())")
    }

    func subscribedToChannel(name: String) { note("subscribed \(name)") }

    func failedToSubscribeToChannel(name: String, response: URLResponse?, data: String?, error: NSError?) {
        let status = (response as? HTTPURLResponse)?.statusCode
        state.withLockedValue { $0.failures.append(Failure(name: name, status: status, data: data, error: error)) }
        note("failed \(name)")
    }

    func failedToDecryptEvent(eventName: String, channelName: String, data: String?) {
        note("undecryptable \(eventName) on \(channelName)")
    }

    func receivedError(error: PusherError) { note("error \(error)") }

    func signedIn(userId: String, userData: String) { note("signed in \(userId) \(userData)") }

    func failedToSignIn(response: URLResponse?, data: String?, error: NSError?) {
        let status = (response as? HTTPURLResponse)?.statusCode
        state.withLockedValue { $0.failures.append(Failure(name: "", status: status, data: data, error: error)) }
        note("sign-in failed")
    }
}

/// Lines from callbacks, in order, from any thread.
final class Notebook: Sendable {
    private let box = NIOLockedValueBox<[String]>([])

    var lines: [String] { box.withLockedValue { $0 } }

    func note(_ line: String) { box.withLockedValue { $0.append(line) } }
}

/// Calls back when it is released, as view models do.
final class CallingBack: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    deinit { body() }
}
