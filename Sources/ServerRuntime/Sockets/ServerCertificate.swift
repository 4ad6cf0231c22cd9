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

/// The server's certificate and key, replaceable while it runs (rules SO-30 to SO-33).
///
/// Each accepted connection uses the TLS context that is current at that time, so a new certificate does not affect existing
/// connections. Files that cannot be used change nothing.
package final class ServerCertificate: Sendable {
    private struct State {
        var usable: Usable
        /// The digest of the files' content at the last check, usable or not.
        var seen: SHA256Digest
        /// The problem that the last check found; nil for none.
        var problem: CertificateError?
    }

    private struct Usable {
        let context: NIOSSLContext
        /// The digest of the files of the certificate in use.
        let digest: SHA256Digest
        /// When the certificate expires, in seconds since 1970.
        let expires: Int
    }

    private let files: CertificateFiles
    private let state: NIOLockedValueBox<State>
    /// Held from reading the files until the result is in use. Checks and reloads run on several threads; without the lock a slow
    /// one could replace a newer certificate with an older one.
    private let turn = NIOLockedValueBox(())

    /// Reads the files; blocks.
    package init(_ files: CertificateFiles) throws(CertificateError) {
        self.files = files
        let content = try Content(files)
        state = NIOLockedValueBox(State(usable: try content.usable(), seen: content.digest))
    }

    /// The TLS context for a new connection.
    package var context: NIOSSLContext { state.withLockedValue { $0.usable.context } }

    /// When the certificate in use expires, in seconds since 1970.
    package var expires: Int { state.withLockedValue { $0.usable.expires } }

    /// The problem with the current files, while an older certificate is in use.
    package var problem: CertificateError? { state.withLockedValue(\.problem) }

    /// Reads the files again, whether they have changed or not; blocks. Throws the problem with them.
    package func reload() throws(CertificateError) {
        _ = try turn.withLockedValue { _ in take(evenIfKnown: true) }.get()
    }

    /// Reads the files and uses new content; blocks. Returns false when the content is unchanged. The same invalid content fails only once.
    ///
    /// Call this only while holding ``turn``.
    private func take(evenIfKnown: Bool) -> Result<Bool, CertificateError> {
        do throws(CertificateError) {
            let content = try Content(files)
            let digest = content.digest
            let isNew = state.withLockedValue { state in
                // The files, which could not be read for a while, have the content that is in use again.
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

    /// Checks periodically for new content, off the event loop, until the task is cancelled; nil when checks are disabled.
    ///
    /// It compares contents and not modification times: a certificate is replaced in many ways, including symbolic links, and two
    /// writes can have the same time stamp.
    ///
    /// - Parameter unixSeconds: the Unix time, for the warning about new certificates that expire soon (rule SO-34).
    package func watch(
        on eventLoop: any EventLoop, logger: Logger, unixSeconds: @escaping @Sendable () -> Int
    ) -> RepeatedTask? {
        guard let interval = files.checkInterval.map({ TimeAmount(max($0, .milliseconds(100))) }) else { return nil }
        return eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
            // The result is not returned to the event loop, which may have ended by then.
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
        // Every check finds a file that cannot be read, so it is logged once; new invalid content is logged each time.
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
            logger.warning("the certificate expires soon", metadata: ["days": "\(days)"])
        }
    }

    /// The contents of both files at one time.
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
                // Certificates and keys are never that long, and reading a device may never end.
                guard bytes.count + count <= maximumBytes else { throw .malformed(file) }
                bytes += piece.prefix(count)
            }
        }

        private static let maximumBytes = 1 << 20

        /// The error for the current `errno` of the system.
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
    /// Reads the files like a server; blocks.
    ///
    /// - Returns: when the certificate expires, in seconds since 1970.
    /// - Throws: why the files cannot be used.
    @discardableResult
    public func check() throws(CertificateError) -> Int {
        try ServerCertificate(self).expires
    }
}

/// Calls the system's `read`, because a function of this file has the same name.
private func systemRead(_ file: CInt, _ bytes: inout [UInt8]) -> Int {
    read(file, &bytes, bytes.count)
}
