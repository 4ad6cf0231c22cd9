import ConnectionEngine
import Foundation
import NIOCore
import NIOSSL
import TransportCommon
import X509

/// The step `tls`: makes a connection as clients do, and analyses a refused connection in detail.
extension Doctor {
    mutating func secure() async throws -> StepVerdict {
        guard target.usesTLS, let link else { return .skipped("the address is without TLS") }
        let security = try await secure(link)
        guard let certificate = try? Certificate(derEncoded: security.certificate.toDERBytes()) else {
            return .passed(security.version)
        }
        let report = CertificateReport(certificate)
        let left = report.daysLeft(Date(timeIntervalSince1970: TimeInterval(unixTime())))
        let words =
            "\(security.version), \(Finding.quote(report.subject)), signed by \(Finding.quote(report.issuer)), valid for \(left) days"
        let pin = CertificatePins.pin(of: security.certificate).map { ", pin \($0)" } ?? ""
        return left < 14 ? .noted(words + pin, .expiresSoon(days: left)) : .passed(words + pin)
    }

    /// Starts TLS on a connection to the server.
    func secure(_ link: ProbeLink) async throws -> ProbeLink.Security {
        do {
            let tls = try ClientTLS(roots: roots, host: target.host, isTunnelled: target.proxy != nil)
            return try await link.secure(tls, within: amount)
        } catch is ProbeTimeout {
            throw Finding.handshakeTimeout
        } catch is ProbeEnd {
            throw Finding.handshakeCut
        } catch let failure as ConnectionFailure where failure == .unreadableRoots {
            throw Finding.unreadableRoots
        } catch {
            throw await explain(error)
        }
    }

    private func explain(_ error: any Error) async -> Finding {
        let failure = ConnectionFailure.dialling(error)
        switch failure.category {
        case .tlsUntrusted:
            if let fault = error as? CertificateFault, fault != .wrongName { return .certificate(.weak, host: target.host) }
            let chain = (try? await showCertificates(within: amount)) ?? []
            let now = Date(timeIntervalSince1970: TimeInterval(unixTime()))
            let problem = CertificateReport.problem(
                of: chain.compactMap { try? Certificate(derEncoded: $0.toDERBytes()) },
                isMeant: chain.first?.names(target.host) ?? false,
                now: now)
            return .certificate(problem, host: target.host)
        case .tlsFailed:
            // The TLS library reports bytes that are not a TLS record as a "wrong version".
            let isPlain = ["WRONG_VERSION_NUMBER", "HTTP_REQUEST", "UNEXPECTED_RECORD"].contains(failure.tlsAlert)
            return isPlain ? .noTLS(port: target.port) : .handshakeFailed(failure.tlsAlert)
        default: return .handshakeCut
        }
    }

    /// The certificates that the server presents, without verification; no data is sent.
    func showCertificates(within limit: TimeAmount) async throws -> [NIOSSLCertificate] {
        try await reopen().look(serverName: target.isAddress ? nil : target.host, within: limit)
    }
}
