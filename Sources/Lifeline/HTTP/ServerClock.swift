import ClientRuntime
import ConnectionEngine
import HTTPTransport
import NIOConcurrencyHelpers
import TransportCommon

/// How far a server's clock is from this machine's, for the timestamps of signed requests (rule LL-60).
///
/// A server refuses a request whose timestamp is too far from its own time, and says its time in each answer. What is learnt from
/// one refusal counts for all later requests.
final class ServerClock: Sendable {
    /// A smaller difference is no reason for a refusal: the strictest of the services allows 60 s.
    static let tolerance = 30

    private let offset = NIOLockedValueBox(0)

    /// The server's time in seconds since 1970, as far as it is known.
    func seconds(at unixSeconds: Int) -> Int { unixSeconds + offset.withLockedValue { $0 } }

    /// Notes that the server has another time.
    func learn(_ server: Int, at unixSeconds: Int) { offset.withLockedValue { $0 = server - unixSeconds } }

    /// Makes a signed request. When the server refuses it and has another time, the request is made once more with that time.
    ///
    /// - Parameters:
    ///   - unixSeconds: this machine's time.
    ///   - request: the request with this timestamp, in seconds since 1970.
    func send(
        by http: any HTTPSending, timeout: Duration, unixSeconds: @Sendable () -> Int, _ request: (Int) -> HTTPCall
    ) async throws(ConnectionFailure) -> HTTPAnswer {
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
