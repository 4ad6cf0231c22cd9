import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers
import PusherProtocol

/// The present state of the connection. This state may be newer than the state in a callback, because callbacks wait for their queue.
///
/// The engine updates the state synchronously, so that reading it after `connect()` returns `connecting` (rule PA-9).
final class ConnectionTruth: Sendable {
    struct Values {
        var state = ConnectionState.disconnected
        var socketID: String?
        var attempts = 0
        /// Whether the app has requested a sign-in and has not signed out since then.
        var wantsUser = false
        /// The signed-in user.
        var user: PusherSignedInUser?
    }

    private let box = NIOLockedValueBox(Values())

    var values: Values { box.withLockedValue { $0 } }

    func update(_ change: (inout Values) -> Void) {
        box.withLockedValue { change(&$0) }
    }

    func note(_ notices: [Notice<PusherSession>]) {
        for notice in notices {
            switch notice {
            case .change(let change):
                update { values in
                    values.state = ConnectionState(after: change)
                    values.attempts = change.attempt
                    if change.phase != .connecting && change.phase != .connected { values.socketID = nil }
                    if change.phase != .connected { values.user = nil }
                }
            case .event(.established(let socketID)):
                update { $0.socketID = socketID }
            case .event(.signedIn(let user)):
                update { if $0.wantsUser { $0.user = PusherSignedInUser(user) } }
            case .event, .dropped:
                continue
            }
        }
    }
}
