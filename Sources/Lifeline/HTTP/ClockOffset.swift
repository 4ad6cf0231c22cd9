import ClientRuntime
import ConnectionEngine
import HTTPTransport
import NIOConcurrencyHelpers
import TransportCommon

/// How far a server's clock is from this machine's, for the timestamps of signed requests (rule LL-60).
///
/// A server refuses a request whose timestamp is too far from its own time, and states its time in each answer. The difference that one
/// refusal shows is applied to all later requests.
final class ClockOffset: Sendable {
    /// Seconds. A smaller difference cannot cause a refusal: the strictest of the services allows 60 s.
    static let tolerance = 30

    private let offset = NIOLockedValueBox(0)

    /// The server's time in seconds since 1970; this machine's time while the difference is unknown.
    func seconds(at unixSeconds: Int) -> Int { unixSeconds + offset.withLockedValue { $0 } }

    /// Records the difference between the server's time and this machine's.
    func learn(_ server: Int, at unixSeconds: Int) { offset.withLockedValue { $0 = server - unixSeconds } }

    /// Makes a signed request. When the server refuses it and states a different time, the request is repeated once with that time.
    ///
    /// - Parameters:
    ///   - unixSeconds: this machine's time.
    ///   - request: the request with this timestamp, in seconds since 1970.
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
