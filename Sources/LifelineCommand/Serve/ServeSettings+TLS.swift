import LifelineServer

extension ServeSettings {
    /// The certificate and key; nil for no TLS, and when one of them is invalid.
    static func tls(_ parts: TLSParts, _ given: GivenSettings) throws(CommandFailure) -> ServerConfiguration.TLS? {
        switch (given.values[ServerSetting.tlsCertificate.name], given.values[ServerSetting.tlsKey.name]) {
        case (nil, nil): return nil
        case (_?, _?):
            guard let certificate = parts.certificate, let key = parts.key else { return nil }
            return .init(
                certificateFile: certificate, privateKeyFile: key,
                checkInterval: parts.checkInterval == .zero ? nil : parts.checkInterval)
        case (let one?, nil):
            throw one.failure("is alone. TLS needs the key, too: --tls-key, LIFELINE_TLS_KEY, or tls.key in the file.")
        case (nil, let one?):
            throw one.failure("is alone. TLS needs the certificate, too: --tls-cert, LIFELINE_TLS_CERT, or tls.cert in the file.")
        }
    }

    static func certificateEnd(_ tls: ServerConfiguration.TLS?) throws(CommandFailure) -> Int? {
        do throws(CertificateError) {
            return try tls?.check()
        } catch {
            throw ServeFailure.certificate(error)
        }
    }
}

/// The settings of TLS before they are checked together.
struct TLSParts: Sendable {
    var certificate: String?
    var key: String?
    /// How often the certificate is checked; zero for never.
    var checkInterval = Duration.seconds(10)
}
