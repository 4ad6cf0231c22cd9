import ConnectionEngine
import HTTPTransport
import TransportCommon
import WireCoding

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Sends the HTTP requests of a backend's calls. Tests replace the implementation.
protocol BackendSending: Sendable {
    func send(_ call: HTTPCall, timeout: Duration) async throws(ConnectionFailure) -> HTTPCallAnswer
}

extension HTTPCaller: BackendSending {}

/// Sends a backend's calls. After a failure it repeats a call, unless the repetition could take effect twice (rule BK-2).
struct BackendCaller: Sendable {
    /// The failures after which a call may be repeated.
    enum Repetition: Hashable, Sendable {
        /// The call only reads, so it may be repeated after every temporary failure.
        case always
        /// The call has an effect, so it may be repeated only after failures that occurred before its first byte was sent.
        case beforeSending
    }

    /// The largest accepted answer in bytes. It is large because an answer may list many channels.
    private static let longestAnswer = 32 << 20
    private static let longestPause = Duration.seconds(5)

    let options: BackendOptions
    let http: any BackendSending
    let pause: @Sendable (Duration) async throws -> Void

    init(
        _ options: BackendOptions, http: (any BackendSending)? = nil,
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.options = options
        self.http =
            http
            ?? HTTPCaller(
                trustRoots: options.certificateAuthorities.map { .file($0) } ?? .system, proxy: options.proxy,
                bodyLimit: Self.longestAnswer, connectionsPerHost: options.connectionsPerHost)
        self.pause = pause
    }

    /// Sends a call, and repeats it after temporary failures as `repetition` allows.
    ///
    /// - Parameter call: makes the request. Called for each attempt, because each request is signed with the present time.
    /// - Returns: an answer with a 2xx status that is not a web page.
    func send(_ repetition: Repetition, _ call: @Sendable () -> HTTPCall) async throws(BackendError) -> HTTPCallAnswer {
        var attempt = 0
        while true {
            let failure: BackendError
            var wait: Duration?
            var mayRepeat = false
            do throws(ConnectionFailure) {
                let answer = try await http.send(call(), timeout: options.timeout)
                if answer.isSuccess, !answer.isWebPage { return answer }
                failure = answer.isSuccess ? .webPage : BackendError(answer)
                wait = answer.failure?.retryAfter
                mayRepeat = repetition == .always && (answer.status == 429 || answer.status >= 500)
            } catch {
                failure = BackendError(error)
                mayRepeat = error.mayPass && (repetition == .always || error.precedesSending)
            }
            guard mayRepeat, attempt < options.retries else { throw failure }
            let longer = min(options.retryPause * (1 << min(attempt, 10)), Self.longestPause)
            do { try await pause(min(wait ?? longer, Self.longestPause)) } catch { throw failure }
            attempt += 1
        }
    }

    /// Sends a call and returns the JSON object in the answer.
    func json(_ repetition: Repetition, _ call: @Sendable () -> HTTPCall) async throws(BackendError) -> JSONText {
        let answer = try await send(repetition, call)
        guard let json = try? JSONText(bytes: answer.body), json.kind == .object else {
            throw BackendError(
                .malformedResponse, "The answer is not a JSON object, so it is not from the service. Check the address.",
                status: answer.status, mayHaveTakenEffect: true)
        }
        return json
    }
}

extension BackendError {
    static let webPage = BackendError(
        .malformedResponse, "The answer is a web page and not from the service. Check the address.", mayHaveTakenEffect: true)
}

extension HTTPCallAnswer {
    var isWebPage: Bool {
        (first("Content-Type")?.lowercased() ?? "").hasPrefix("text/html") || body.first == UInt8(ascii: "<")
    }
}

extension ConnectionFailure {
    /// Whether the failure is temporary, so that a repeated call may succeed.
    var mayPass: Bool {
        [.networkUnavailable, .timeout, .proxyUnavailable, .disconnected, .unexpectedDisconnect, .tlsFailed].contains(category)
    }
}

/// The system's time of day.
enum BackendClock {
    /// The time in milliseconds since 1970. Does not use `time(2)`, whose result may be some milliseconds late.
    static let unixMilliseconds: @Sendable () -> Int = {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int(now.tv_sec) * 1000 + Int(now.tv_nsec) / 1_000_000
    }
}
