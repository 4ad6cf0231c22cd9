import NIOSSL

extension TLSConfiguration {
    /// The cipher suites of TLS 1.2 that a server accepts. Key agreement is ECDHE, so a stolen private key does not decrypt recorded
    /// connections. Encryption is authenticated, so padding attacks are impossible (rule SO-74). TLS 1.3 has only such suites.
    public static let serverSuites: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ]

    /// The cipher suites of TLS 1.3. NIOSSL offers them by default, and Network.framework needs the list.
    static let modernSuites: [NIOTLSCipher] = [
        .TLS_AES_128_GCM_SHA256, .TLS_AES_256_GCM_SHA384, .TLS_CHACHA20_POLY1305_SHA256,
    ]

    /// The cipher suites of TLS 1.2 that a client offers: those of a server, followed by ECDHE with CBC for older servers. Suites whose key
    /// exchange encrypts with the certificate's RSA key are not offered, because they lack forward secrecy (rule WT-48).
    public static let clientSuites =
        serverSuites + [
            .TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA, .TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA,
            .TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA, .TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA,
        ]
}
