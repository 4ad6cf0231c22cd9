import Crypto
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL
import ServerValues
import TransportCommon

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The server's certificate and key, which can be replaced while the server runs (rules SO-30 to SO-33).
///
/// Each accepted connection uses the TLS context that is current at that time, so a new certificate does not affect existing connections.
/// If the files cannot be used, the previous certificate stays in use.
package final class ServerCertificate: Sendable {
    private struct State {
        var usable: Usable
        /// The digest of the files' content at the last check, even if that content was not usable.
        var seen: SHA256Digest
        /// The problem that the last check found; nil for none.
        var problem: CertificateError?
    }

    private struct Usable {
        let context: NIOSSLContext
        /// The digest of the files from which the certificate in use was read.
        let digest: SHA256Digest
        /// When the certificate expires, in seconds since 1970.
        let expires: Int
    }

    private let files: CertificateFiles
    private let state: NIOLockedValueBox<State>
    /// A lock that is held from reading the files until their certificate is in use. Checks and reloads run on several threads; without the
    /// lock, a slow check could replace a newer certificate with an older one.
    private let turn = NIOLockedValueBox(())

    /// Reads the certificate and the key from their files. The call blocks.
    package init(_ files: CertificateFiles) throws(CertificateError) {
        self.files = files
        let content = try Content(files)
        state = NIOLockedValueBox(State(usable: try content.usable(), seen: content.digest))
    }

    /// The TLS context for a new connection.
    package var context: NIOSSLContext { state.withLockedValue { $0.usable.context } }

    /// When the certificate in use expires, in seconds since 1970.
    package var expires: Int { state.withLockedValue { $0.usable.expires } }

    /// The reason why the current files cannot be used, so that an older certificate is in use; nil when they can be used.
    package var problem: CertificateError? { state.withLockedValue(\.problem) }

    /// Reads the files again, even if they have not changed. The call blocks. Throws the reason why the files cannot be used.
    package func reload() throws(CertificateError) {
        _ = try turn.withLockedValue { _ in take(evenIfKnown: true) }.get()
    }

    /// Reads the files, and uses their content if it is new. The call blocks. Returns false when the content is the same as at the last
    /// check, even if it was invalid then. With `evenIfKnown`, unchanged content is used, too.
    ///
    /// Call this only while holding ``turn``.
    private func take(evenIfKnown: Bool) -> Result<Bool, CertificateError> {
        do throws(CertificateError) {
            let content = try Content(files)
            let digest = content.digest
            let isNew = state.withLockedValue { state in
                // After a problem, the files may again have the content that is in use, so there is no problem any more.
                if digest == state.usable.digest { state.problem = nil }
                defer { state.seen = digest }
                return state.seen != digest
            }
            guard isNew || evenIfKnown else { return .success(false) }
            let usable = try content.usable()
            state.withLockedValue { ($0.usable, $0.problem) = (usable, nil) }
            return .success(true)
        } catch {
            state.withLockedValue { $0.problem = error }
            return .failure(error)
        }
    }

    private static func isAboutReading(_ problem: CertificateError?) -> Bool {
        switch problem {
        case .missing, .forbidden, .unreadable: true
        case .malformed, .mismatch, nil: false
        }
    }

    /// Checks the files periodically for new content, off the event loop, until the task is cancelled; nil when checks are disabled.
    ///
    /// Checks compare contents and not modification times, because a certificate is replaced in many ways, including symbolic links, and
    /// two writes can have the same time stamp.
    ///
    /// - Parameter unixSeconds: the Unix time, for the warning about new certificates that expire soon (rule SO-34).
    package func watch(
        on eventLoop: any EventLoop, logger: Logger, unixSeconds: @escaping @Sendable () -> Int
    ) -> RepeatedTask? {
        guard let interval = files.checkInterval.map({ TimeAmount(max($0, .milliseconds(100))) }) else { return nil }
        return eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
            // The check returns nothing to the event loop, because the event loop may have ended by then.
            NIOThreadPool.singleton.submit { state in
                if case .active = state { self.look(logger, unixSeconds) }
            }
        }
    }

    private func look(_ logger: Logger, _ unixSeconds: () -> Int) {
        let (known, result) = turn.withLockedValue { _ in (problem, take(evenIfKnown: false)) }
        switch result {
        case .success(true):
            logger.notice("the certificate has been reloaded")
            warn(logger, at: unixSeconds())
        case .success(false): return
        // An unreadable file is logged once, although every check finds it again; new invalid content is logged each time.
        case .failure(let error): if error != known || !Self.isAboutReading(error) { Self.complain(error, logger) }
        }
    }

    private static func complain(_ error: CertificateError, _ logger: Logger) {
        logger.error("the new certificate or key cannot be used, the old one stays", metadata: ["error": "\(error)"])
    }

    /// Logs a warning when the certificate has expired or will expire soon.
    package func warn(_ logger: Logger, at unixSeconds: Int) {
        let days = (expires - unixSeconds) / 86_400
        if expires <= unixSeconds {
            logger.warning("the certificate has expired: clients will not connect")
        } else if days < 14 {
            logger.warning("the certificate expires soon: renew it", metadata: ["days": "\(days)"])
        }
    }

    /// The contents of the certificate file and of the key file, read at one time.
    private struct Content {
        let certificate: [UInt8]
        let key: [UInt8]

        init(_ files: CertificateFiles) throws(CertificateError) {
            certificate = try Self.read(files.certificateFile, .certificate)
            key = try Self.read(files.privateKeyFile, .key)
        }

        private static func read(_ path: String, _ file: CertificateError.File) throws(CertificateError) -> [UInt8] {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw problem(file) }
            defer { close(descriptor) }
            var (bytes, piece) = ([UInt8](), [UInt8](repeating: 0, count: 16_384))
            while true {
                let count = systemRead(descriptor, &piece)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw problem(file) }
                if count == 0 { return bytes }
                // The size limit exists because reading a device may never end; no certificate or key is that long.
                guard bytes.count + count <= maximumBytes else { throw .malformed(file) }
                bytes += piece.prefix(count)
            }
        }

        private static let maximumBytes = 1 << 20

        /// Returns the error of a file for the system's current `errno`.
        private static func problem(_ file: CertificateError.File) -> CertificateError {
            switch errno {
            case ENOENT, ENOTDIR: .missing(file)
            case EACCES, EPERM: .forbidden(file)
            default: .unreadable(file)
            }
        }

        var digest: SHA256Digest {
            var hash = SHA256()
            hash.update(data: Array(SHA256.hash(data: certificate)))
            hash.update(data: key)
            return hash.finalize()
        }

        func usable() throws(CertificateError) -> Usable {
            guard let chain = try? NIOSSLCertificate.fromPEMBytes(certificate), let first = chain.first else {
                throw .malformed(.certificate)
            }
            guard let key = try? NIOSSLPrivateKey(bytes: key, format: .pem) else { throw .malformed(.key) }
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
            configuration.applicationProtocols = ["http/1.1"]
            configuration.minimumTLSVersion = .tlsv12
            configuration.cipherSuiteValues = TLSConfiguration.serverSuites
            // Both files are valid by themselves, so the key must belong to another certificate.
            guard let context = try? NIOSSLContext(configuration: configuration) else { throw .mismatch }
            return Usable(context: context, digest: digest, expires: Int(first.notValidAfter))
        }
    }
}

extension CertificateFiles {
    /// Reads the files as a server would, to check them. The call blocks.
    ///
    /// - Returns: when the certificate expires, in seconds since 1970.
    /// - Throws: why the files cannot be used.
    @discardableResult
    public func check() throws(CertificateError) -> Int {
        try ServerCertificate(self).expires
    }
}

/// Calls the system's `read`. This function has another name, because a function of this file is already called `read`.
private func systemRead(_ file: CInt, _ bytes: inout [UInt8]) -> Int {
    read(file, &bytes, bytes.count)
}
