#if canImport(Network)
    import ConnectionEngine
    import Dispatch
    import Foundation
    import NIOConcurrencyHelpers
    import NIOCore
    import NIOSSL
    import Network
    import Security

    /// The TLS settings of one connection by Network.framework. A server's certificate has to meet the same requirements as with
    /// ``ClientTLS`` (rules SO-104 and SO-105).
    struct NetworkTLS: Sendable {
        private let host: String
        /// The trusted authorities as DER; nil for the authorities of the system.
        private let roots: [[UInt8]]?
        private let pins: CertificatePins?
        private let certificate: ClientCertificate?
        private let refused = NIOLockedValueBox<ConnectionFailure?>(nil)

        /// The reason why the server's certificate was refused; nil if it was not refused.
        var refusal: ConnectionFailure? { refused.withLockedValue { $0 } }

        /// The queue on which certificates are verified. It is concurrent, because a verification may load certificates and revocation
        /// lists over the network.
        private static let queue = DispatchQueue(label: "lifeline.certificates", attributes: .concurrent)

        /// Makes the settings. Blocks while the trusted root certificates are read.
        init(
            roots: TrustRoots, pins: CertificatePins?, certificate: ClientCertificate?, host: String
        ) throws(ConnectionFailure) {
            self.host = host
            self.pins = pins
            self.certificate = certificate
            do {
                switch roots {
                case .system: self.roots = nil
                case .file(let path): self.roots = try NIOSSLCertificate.fromPEMFile(path).map { try $0.toDERBytes() }
                }
            } catch {
                throw .unreadableRoots
            }
        }

        /// Makes the TLS options. Blocks while a client certificate is read.
        func options() throws(ConnectionFailure) -> NWProtocolTLS.Options {
            let options = NWProtocolTLS.Options()
            let security = options.securityProtocolOptions
            sec_protocol_options_set_min_tls_protocol_version(security, .TLSv12)
            sec_protocol_options_add_tls_application_protocol(security, "http/1.1")
            // The server name is sent for host names only. If the host is an IP address, no name is sent, and the certificate is verified
            // against the address.
            if (try? SocketAddress(ipAddress: host, port: 0)) == nil {
                sec_protocol_options_set_tls_server_name(security, host)
            }
            for suite in TLSConfiguration.modernSuites + TLSConfiguration.clientSuites {
                if let suite = tls_ciphersuite_t(rawValue: suite.rawValue) {
                    sec_protocol_options_append_tls_ciphersuite(security, suite)
                }
            }
            // Resumption of TLS sessions is off, because a resumed session shows no certificates that could be checked, and may have begun
            // with other requirements for the certificate.
            sec_protocol_options_set_tls_resumption_enabled(security, false)
            if let certificate { sec_protocol_options_set_local_identity(security, try certificate.identity()) }
            sec_protocol_options_set_verify_block(
                security,
                { [self] _, trust, verdict in verdict(accepts(sec_trust_copy_ref(trust).takeRetainedValue())) }, Self.queue)
            return options
        }

        private func accepts(_ trust: SecTrust) -> Bool {
            do {
                try verify(trust)
                return true
            } catch {
                refused.withLockedValue { $0 = .dialling(error) }
                return false
            }
        }

        /// Verifies the server's certificate. The system checks chain, dates and name. The additional requirements are checked on the chain
        /// that the system has built, from the server's certificate to the root.
        private func verify(_ trust: SecTrust) throws {
            SecTrustSetPolicies(trust, SecPolicyCreateSSL(true, host as CFString))
            if let roots {
                let anchors = roots.compactMap { SecCertificateCreateWithData(nil, Data($0) as CFData) }
                SecTrustSetAnchorCertificates(trust, anchors as CFArray)
                SecTrustSetAnchorCertificatesOnly(trust, true)
            }
            var error: CFError?
            guard SecTrustEvaluateWithError(trust, &error) else {
                throw ConnectionFailure.untrustedBySystem(status: error.map { CFErrorGetCode($0) })
            }
            guard let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate] else {
                throw CertificateFault.unacceptable
            }
            let certificates = try chain.map {
                try NIOSSLCertificate(bytes: Array(SecCertificateCopyData($0) as Data), format: .der)
            }
            try certificates.checkChain(pins: pins, host: host)
        }
    }

    extension ClientCertificate {
        /// Returns the identity with which the system presents this certificate to servers. Network.framework accepts certificate and key
        /// from PKCS #12 only (rule SO-106).
        fileprivate func identity() throws(ConnectionFailure) -> sec_identity_t {
            guard let archive else { throw .certificateNeedsPKCS12 }
            var options: [String: Any] = [kSecImportExportPassphrase as String: archive.passphrase]
            // On these versions the identity is imported into memory only. Older versions of macOS have no such option, so the import adds
            // the identity to the user's keychain.
            if #available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *) {
                options[kSecImportToMemoryOnly as String] = true
            }
            var items: CFArray?
            let status = SecPKCS12Import(Data(archive.bytes) as CFData, options as CFDictionary, &items)
            guard status == errSecSuccess, let first = (items as? [[String: Any]])?.first,
                let found = first[kSecImportItemIdentity as String],
                CFGetTypeID(found as CFTypeRef) == SecIdentityGetTypeID()
            else { throw .unusableIdentity(status: status) }
            let chain = first[kSecImportItemCertChain as String] as? [SecCertificate] ?? []
            // This cast cannot fail, because the type id was compared above. The comparison is needed, because Swift does not check casts
            // to Core Foundation types.
            let identity = found as! SecIdentity
            // The first certificate of the chain is left out of the list, because the identity already contains it.
            let others = Array(chain.dropFirst())
            let result =
                others.isEmpty
                ? sec_identity_create(identity) : sec_identity_create_with_certificates(identity, others as CFArray)
            guard let result else { throw .unusableIdentity(status: status) }
            return result
        }
    }
#endif
