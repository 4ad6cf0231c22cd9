import NIOSSL

extension TLSConfiguration {
    /// The suites of TLS 1.2 that a server takes: keys that are agreed on by ECDHE, so that a stolen key of the certificate opens no
    /// recorded connection, and encryption that authenticates, so that no padding can be guessed at (rule SO-74). TLS 1.3 has no
    /// others.
    public static let serverSuites: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ]

    /// The suites of TLS 1.3. NIOSSL offers them by default; Network.framework needs the list.
    static let modernSuites: [NIOTLSCipher] = [
        .TLS_AES_128_GCM_SHA256, .TLS_AES_256_GCM_SHA384, .TLS_CHACHA20_POLY1305_SHA256,
    ]

    /// The suites of TLS 1.2 that a client offers: those of a server, and behind them ECDHE with CBC for servers that have nothing
    /// newer. Key exchange with the key of the certificate is not offered (rule WT-48).
    public static let clientSuites =
        serverSuites + [
            .TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA, .TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA,
            .TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA, .TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA,
        ]
}
