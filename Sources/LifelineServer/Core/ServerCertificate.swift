import Crypto
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL
import RealtimeHub

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The server's certificate and key, replaceable while it runs (rules SO-30 to SO-33).
///
/// Each accepted connection takes the context of its moment and keeps it, so a new certificate disturbs nobody. Files that cannot
/// be used change nothing.
final class ServerCertificate: Sendable {
    private struct State {
        var context: NIOSSLContext
        /// Of the files' content as it was last looked at, usable or not.
        var seen: SHA256Digest
        /// Whether the last look found a file that cannot be read.
        var isUnreadable = false
    }

    private let files: ServerConfiguration.TLS
    private let state: NIOLockedValueBox<State>

    /// Reads the files; blocks.
    init(_ files: ServerConfiguration.TLS) throws {
        self.files = files
        let content = try Content(files)
        state = NIOLockedValueBox(State(context: try content.context(), seen: content.digest))
    }

    /// What a new connection takes.
    var context: NIOSSLContext { state.withLockedValue(\.context) }

    /// Reads the files again, whether they have changed or not; blocks. Throws what is wrong with them.
    func reload() throws {
        let content = try Content(files)
        state.withLockedValue { $0.seen = content.digest }
        let context = try content.context()
        state.withLockedValue { $0.context = context }
    }

    /// Reads the files and uses what is new in them; blocks. False when nothing is. The same broken content throws once only.
    func reloadIfChanged() throws -> Bool {
        let content = try Content(files)
        let isNew = state.withLockedValue { state in
            defer { state.seen = content.digest }
            return state.seen != content.digest
        }
        guard isNew else { return false }
        let context = try content.context()
        state.withLockedValue { $0.context = context }
        return true
    }

    /// Looks for new content now and then, off the event loop, until the task is cancelled; nil when it shall not.
    ///
    /// Content and not times: a certificate is replaced in many ways, by links as well, and two writes can share a time stamp.
    func watch(on eventLoop: any EventLoop, logger: Logger) -> RepeatedTask? {
        guard let interval = files.checkInterval.map({ TimeAmount(max($0, .milliseconds(100))) }) else { return nil }
        return eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
            // Nothing comes back to the loop, which may be gone by then.
            NIOThreadPool.singleton.submit { state in
                if case .active = state { self.look(logger) }
            }
        }
    }

    private func look(_ logger: Logger) {
        do {
            if try reloadIfChanged() { logger.notice("the certificate has been reloaded") }
            state.withLockedValue { $0.isUnreadable = false }
        } catch let error as CocoaError {
            // The file itself cannot be read, which every look would find again.
            let isKnown = state.withLockedValue { state in
                defer { state.isUnreadable = true }
                return state.isUnreadable
            }
            if !isKnown { Self.complain(error, logger) }
        } catch {
            state.withLockedValue { $0.isUnreadable = false }
            Self.complain(error, logger)
        }
    }

    private static func complain(_ error: any Error, _ logger: Logger) {
        // Only the kind of error: its text could repeat what is in the files.
        logger.error(
            "the new certificate or key cannot be used, the old one stays", metadata: ["error": "\(type(of: error))"])
    }

    /// Both files as they were at one time.
    private struct Content {
        let certificate: [UInt8]
        let key: [UInt8]

        init(_ files: ServerConfiguration.TLS) throws {
            certificate = Array(try Data(contentsOf: URL(filePath: files.certificateFile)))
            key = Array(try Data(contentsOf: URL(filePath: files.privateKeyFile)))
        }

        var digest: SHA256Digest {
            var hash = SHA256()
            hash.update(data: Array(SHA256.hash(data: certificate)))
            hash.update(data: key)
            return hash.finalize()
        }

        /// Throws when they are no PEM, or do not belong together.
        func context() throws -> NIOSSLContext {
            let chain = try NIOSSLCertificate.fromPEMBytes(certificate).map { NIOSSLCertificateSource.certificate($0) }
            let key = try NIOSSLPrivateKey(bytes: key, format: .pem)
            var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key))
            configuration.applicationProtocols = ["http/1.1"]
            configuration.minimumTLSVersion = .tlsv12
            return try NIOSSLContext(configuration: configuration)
        }
    }
}

extension ServerConfiguration.TLS {
    /// Reads the files as a server would; blocks.
    ///
    /// Throws when they cannot be read, are no PEM, or do not belong together.
    public func check() throws {
        _ = try ServerCertificate(self)
    }
}
