/// Findings about TLS and certificates.
extension Finding {
    static func certificate(_ problem: CertificateProblem, host: String) -> Finding {
        switch problem {
        case .expired(let days):
            Finding(
                "certificate-expired", "The server's certificate expired \(Self.days(days)) ago.",
                advice: "Renew it on the server. If it is new, check the date of this machine.")
        case .notYetValid(let days):
            Finding(
                "certificate-not-yet-valid", "The server's certificate is valid only in \(Self.days(days)).",
                advice: "Check the date of this machine first: it is probably behind.")
        case .wrongName(let names):
            Finding(
                "certificate-wrong-name",
                "The certificate is for \(names.isEmpty ? "no name at all" : names.prefix(5).joined(separator: ", ")), not for \(host).",
                advice: "Connect by one of its names, or give the server a certificate that names \(host).")
        case .selfSigned:
            Finding(
                "certificate-self-signed", "The certificate is self-signed.",
                advice:
                    "Trust it with --ca FILE if it is yours (in clients: their setting for certificate authorities), or get a certificate from an authority."
            )
        case .unknownIssuer(let issuer):
            Finding(
                "certificate-untrusted", "The certificate is signed by \(quote(issuer)), whom this machine does not trust.",
                advice:
                    "If that is a company or a security program, it decrypts the traffic: trust its authority with --ca FILE. "
                    + "Otherwise the server may not send its intermediate certificate: add it on the server.")
        case .chainExpired(let subject):
            Finding(
                "certificate-chain-expired", "A certificate that signs the server's has expired: \(quote(subject)).",
                advice: "Install the authority's present intermediate certificate on the server.")
        case .wrongUsage(let uses):
            Finding(
                "certificate-wrong-usage",
                "The certificate may not be used by a server; it is for \(quote(uses.joined(separator: ", "))).",
                advice:
                    "Get a certificate with serverAuth in its extended key usage, and digitalSignature in its key usage if it has that extension."
            )
        case .weak:
            Finding(
                "certificate-weak",
                "The certificate is valid, but weak: it has a short key, a SHA-1 signature, or no names.",
                advice: "Make a new certificate with an ECDSA or RSA 2048 key, SHA-256 and a subject alternative name.")
        case .unclear:
            Finding(
                "certificate-not-accepted", "The server's certificate is not accepted.",
                advice: "Look at it with: openssl s_client -connect \(host):PORT -servername \(host)")
        }
    }

    private static func days(_ count: Int) -> String {
        count < 1 ? "less than a day" : count == 1 ? "a day" : "\(count) days"
    }

    static func expiresSoon(days count: Int) -> Finding {
        Finding(
            "certificate-expires-soon", "The certificate expires in \(days(count)).",
            advice: "Renew it before: clients refuse an expired certificate.")
    }

    static func noTLS(port: Int) -> Finding {
        Finding(
            "no-tls-here", "The program that listens on port \(port) does not speak TLS.",
            advice: "Use http or ws for this port, or the port on which the server speaks TLS.")
    }

    static func handshakeFailed(_ name: String?) -> Finding {
        Finding(
            "tls-failed", "Server and client cannot agree on a TLS connection\(name.map { " (\($0))" } ?? "").",
            advice:
                "The server must support TLS 1.2 or newer with a common cipher. Something in between may interfere: try another network."
        )
    }

    static let handshakeCut = Finding(
        "tls-cut", "The connection is cut during the TLS handshake.",
        advice:
            "A firewall that filters server names, or a load balancer without a certificate, can cause this. Try another network, then check the server."
    )

    static let handshakeTimeout = Finding(
        "tls-timeout", "The server accepts the connection and does not answer the TLS handshake.",
        advice: "Check that TLS is served on this port, and that large packets get through (MTU) if a VPN is on the way.")

    static let unreadableRoots = Finding(
        "ca-unreadable", "The file of trusted certificates cannot be read.", advice: "Name a PEM file with --ca.")
}
