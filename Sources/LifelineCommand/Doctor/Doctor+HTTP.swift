import NIOCore
import TransportCommon

/// The steps `http` and `clock`: an ordinary HTTP request, and a comparison of the server's time with this machine's.
extension Doctor {
    private var path: String { target.prefix + (target.service == .pubnub ? "/time/0" : "/") }

    mutating func askHTTP() async throws -> StepVerdict {
        guard let link else { return .skipped("there is no connection") }
        self.link = nil
        let answer: ProbeAnswer
        do {
            answer = try await link.ask(
                "GET \(path) HTTP/1.1\r\nHost: \(target.hostHeader)\r\nUser-Agent: lifeline-doctor\r\n"
                    + "Accept: */*\r\nConnection: close\r\n\r\n", within: amount)
        } catch {
            throw await explainSilence(error)
        }
        serverTime = answer.first("date").flatMap { HTTPDate.unixTime($0) }
        let server = answer.first("server").map { " from \(Finding.quote($0))" } ?? ""
        let words = "status \(answer.status)\(server)"
        switch answer.status {
        // PubNub clients cannot use a server below a path prefix, so doctor opens no session that would fail for a wrong path. This step
        // therefore reports the wrong path (rule SO-123).
        case 404 where target.isPubNubBelowPath: throw Finding.nothingAt(path)
        case 511: throw Finding.signInRequired
        case 300..<400: return .noted(words, .redirected(to: answer.first("location")))
        case 200..<300 where answer.isPage: return .noted(words, .pageAtRoot)
        // Status 400 is a typical answer of a TLS server to plain HTTP.
        case 400 where !target.usesTLS:
            if await speaksTLS() { throw Finding.tlsExpected }
            return .passed(words)
        default: return .passed(words)
        }
    }

    /// Servers that expect TLS react to plain text with silence, an alert or a close.
    func explainSilence(_ error: any Error) async -> Finding {
        if target.usesTLS { return Self.finding(error) }
        if let other = error as? ProbeNotHTTP { return other.isTLS ? .tlsExpected : .notHTTP }
        return await speaksTLS() ? .tlsExpected : Self.finding(error)
    }

    private func speaksTLS() async -> Bool {
        // The wait is limited, because a server without TLS may wait for more bytes: it reads the TLS handshake as an unfinished line of
        // text.
        let certificates = try? await showCertificates(within: min(amount, .seconds(5)))
        return certificates?.isEmpty == false
    }

    /// Rule CL-34.
    func compareClocks() -> StepVerdict {
        guard let serverTime else { return .skipped(Finding.noDate) }
        let (difference, overflow) = unixTime().subtractingReportingOverflow(serverTime)
        if overflow || difference.magnitude > 600 {
            let finding = Finding.clock(off: difference, isSigned: target.secret != nil)
            return target.secret == nil ? .noted("off by \(difference.magnitude) s", finding) : .failed(finding)
        }
        let isExact = difference.magnitude < 2
        return .passed(
            isExact
                ? "agrees with the server's" : "\(difference.magnitude) s \(difference > 0 ? "ahead of" : "behind") the server's")
    }
}
