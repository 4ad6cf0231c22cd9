import ClientRuntime
import ConnectionEngine
import EngineRuntime
import HTTPTransport

/// The header fields of requests to an authorisation endpoint: fixed, or provided by the app's code.
enum EndpointHeaders: Sendable {
    case fixed([String: String])
    case provided(@Sendable (TokenRequest) async throws -> [String: String])

    /// A source that calls the app's code for header fields; nil for fixed fields.
    func source(
        timers: any TimerScheduler, unixSeconds: @escaping @Sendable () -> Int, tasks: TaskStarter
    ) -> TokenSource<[String: String]>? {
        guard case .provided(let provide) = self else { return nil }
        return TokenSource(margin: .seconds(1), timers: timers, unixSeconds: unixSeconds, tasks: tasks) {
            request throws(ConnectionFailure) in
            do {
                return .init(value: try await provide(request), expires: nil)
            } catch let error as LifelineError where error.code == .accessDenied {
                // The app's refusal counts as a refusal by the endpoint: this channel is refused, and the connection stays open.
                throw ConnectionFailure(.accessDenied, error.reason)
            } catch {
                throw TokenProvider.failure(of: error)
            }
        }
    }
}

extension PusherAuthorizer {
    /// Sends a request to an endpoint. If the endpoint refuses header fields that the app's code has provided, repeats the request once
    /// with new fields (rule LL-82).
    static func ask(
        _ headers: EndpointHeaders, _ source: TokenSource<[String: String]>?, by http: any HTTPSending, within limit: Duration,
        _ request: ([String: String]) -> HTTPCall
    ) async throws(ConnectionFailure) -> HTTPCallAnswer {
        guard let source else {
            guard case .fixed(let headers) = headers else { return try await http.send(request([:]), timeout: limit) }
            return try await http.send(request(headers), timeout: limit)
        }
        let (first, used) = try await source.value()
        let answer = try await http.send(request(first), timeout: limit)
        guard [401, 403].contains(answer.status), let failure = answer.failure else { return answer }
        source.refuse(LifelineError(failure), number: used)
        // If the app's code has no header fields other than the refused ones, the endpoint's refusal is final.
        guard let (second, number) = try? await source.value(), number != used else { return answer }
        return try await http.send(request(second), timeout: limit)
    }
}
