import ClientRuntime
import ConnectionEngine
import HTTPTransport
import NIOConcurrencyHelpers
import TransportCommon

/// The difference between a server's clock and this machine's clock, for the timestamps of signed requests (rule LL-60).
///
/// A server refuses a request whose timestamp is too far from its own time, and states its time in each answer. The difference is taken
/// from such a refusal and applied to all later requests.
final class ClockOffset: Sendable {
    /// The largest clock difference in seconds that is ignored. It cannot cause a refusal, because the strictest of the services allows 60
    /// s.
    static let tolerance = 30

    private let offset = NIOLockedValueBox(0)

    /// The server's time in seconds since 1970; this machine's time while the difference is unknown.
    func seconds(at unixSeconds: Int) -> Int { unixSeconds + offset.withLockedValue { $0 } }

    /// Stores the difference between the server's time and this machine's, both in seconds since 1970.
    func learn(_ server: Int, at unixSeconds: Int) { offset.withLockedValue { $0 = server - unixSeconds } }

    /// Sends a signed request. If the server refuses it and states a different time, sends it once more with the server's time.
    ///
    /// - Parameters:
    ///   - unixSeconds: this machine's time in seconds since 1970.
    ///   - request: makes the request with a given timestamp, in seconds since 1970.
    func send(
        by http: any HTTPSending, timeout: Duration, unixSeconds: @Sendable () -> Int, _ request: (Int) -> HTTPCall
    ) async throws(ConnectionFailure) -> HTTPCallAnswer {
        let used = seconds(at: unixSeconds())
        let answer = try await http.send(request(used), timeout: timeout)
        guard [400, 401, 403].contains(answer.status), let date = answer.first("Date").flatMap({ HTTPDate.unixTime($0) }) else {
            return answer
        }
        let server = Int(date)
        guard abs(server - used) > Self.tolerance else { return answer }
        learn(server, at: unixSeconds())
        return try await http.send(request(seconds(at: unixSeconds())), timeout: timeout)
    }
}
