/// Findings about TLS and certificates.
extension Finding {
    static func certificate(_ problem: CertificateProblem, host: String) -> Finding {
        switch problem {
        case .expired(let days):
            Finding(
                "certificate-expired", "The server's certificate expired \(Self.days(days)) ago.",
                advice: "Renew the certificate on the server. If it is new, check the date of this machine.")
        case .notYetValid(let days):
            Finding(
                "certificate-not-yet-valid",
                "The server's certificate is not valid yet: its validity begins in \(Self.days(days)).",
                advice: "Check the date of this machine first: its clock is probably behind.")
        case .wrongName(let names):
            Finding(
                "certificate-wrong-name",
                "The server's certificate is for "
                    + "\(names.isEmpty ? "no name at all" : names.prefix(5).joined(separator: ", ")), not for \(host).",
                advice: "Use one of the certificate's names in the URL, or give the server a certificate that names \(host).")
        case .selfSigned:
            Finding(
                "certificate-self-signed", "The server's certificate is self-signed.",
                advice:
                    "If the certificate is yours, trust it with --ca FILE, and in clients with their setting for "
                    + "certificate authorities. Otherwise get a certificate from an authority."
            )
        case .unknownIssuer(let issuer):
            Finding(
                "certificate-untrusted",
                "The server's certificate is signed by \(quote(issuer)), an authority that this machine does not trust.",
                advice:
                    "If this authority is a company or a security program, it decrypts the traffic: trust it with --ca "
                    + "FILE. Otherwise the server may not send its intermediate certificate: add that certificate on the "
                    + "server.")
        case .chainExpired(let subject):
            Finding(
                "certificate-chain-expired",
                "A certificate in the chain of the server's certificate has expired: \(quote(subject)).",
                advice: "Install the authority's current intermediate certificate on the server.")
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
                "The server's certificate is valid, but weak: it has a short key, a SHA-1 signature, or no names.",
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
            "certificate-expires-soon", "The server's certificate expires in \(days(count)).",
            advice: "Renew the certificate before it expires, because clients refuse an expired certificate.")
    }

    static func noTLS(port: Int) -> Finding {
        Finding(
            "no-tls-here", "The program that listens on port \(port) does not speak TLS.",
            advice: "Use http or ws for this port, or name the port on which the server speaks TLS.")
    }

    static func handshakeFailed(_ name: String?) -> Finding {
        Finding(
            "tls-failed", "Server and client cannot agree on a TLS connection\(name.map { " (\($0))" } ?? "").",
            advice:
                "The server must support TLS 1.2 or newer with a common cipher. A firewall or proxy may also interfere: "
                + "try another network."
        )
    }

    static let handshakeCut = Finding(
        "tls-cut", "The connection is cut during the TLS handshake.",
        advice:
            "A firewall that filters server names, or a load balancer without a certificate, can cause this. Try another network, then check the server."
    )

    static let handshakeTimeout = Finding(
        "tls-timeout", "The server accepts the connection but does not answer the TLS handshake.",
        advice: "Check that the server speaks TLS on this port. With a VPN, check that large packets get through (MTU).")

    static let unreadableRoots = Finding(
        "ca-unreadable", "The file of trusted certificates (--ca) cannot be read.", advice: "Name a readable PEM file with --ca.")
}
