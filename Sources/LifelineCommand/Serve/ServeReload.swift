import LifelineServer
import Logging
import ServerRuntime
import ServiceLifecycle
import UnixSignals

/// Applies changed applications of all services and a changed certificate with every SIGHUP. Rules SO-20 to SO-22.
struct ServeReload: Service {
    let server: LifelineServer
    let registry: ReloadableApplicationRegistry
    let signals: UnixSignalsSequence
    let command: ServeCommand
    let started: ServeSettings
    let level: ServeLogLevel
    let supervisor: ServiceSupervisor
    /// The address for clients, which is part of the status that the service manager shows.
    let address: String
    let logger: Logger

    func run() async throws {
        for await _ in signals.cancelOnGracefulShutdown() { await reload() }
    }

    private func reload() async {
        supervisor.notifyReloading()
        var status = "Accepts connections at \(address)."
        do throws(CommandFailure) {
            let settings = try ServeSettings(command: command)
            try settings.refusePublicSecrets()
            // The new settings of Redis are applied first, because the later steps read data from Redis, which may refuse the former
            // password.
            if let redis = settings.redis { server.replace(redis: redis) }
            // The settings of the other services are replaced before the Pusher applications in the registry, because only the replacement
            // of the settings can fail. A service that was off at the start of the server gets no applications until the next start.
            try await replace(settings.reloaded(for: started.services))
            registry.replace(with: settings.applications(for: started.services))
            level.change(to: settings.logLevel)
            server.applicationsChanged()
            server.noteConfiguration(isValid: true)
            logger.notice("the applications have been reloaded", metadata: settings.counts(for: started.services))
            let others = settings.settingsForNewStart(since: started)
            if !others.isEmpty {
                logger.warning(
                    "some changed settings take effect only after a restart",
                    metadata: ["settings": "\(others.joined(separator: ", "))"])
            }
        } catch {
            server.noteConfiguration(isValid: false)
            status += " The new configuration is not valid, the old one stays in use; see the log."
            logger.error("the new configuration is not valid, the old one stays: \(error.messages.joined(separator: " "))")
        }
        await reloadCertificate()
        supervisor.notify(.ready(status: status))
    }

    private func replace(_ settings: [ServiceName: any Sendable]) async throws(CommandFailure) {
        do {
            try await server.replace(settings: settings)
        } catch let error as ServerError {
            throw CommandFailure("\(error)")
        } catch {
            throw CommandFailure("the stored data of added applications cannot be read (\(type(of: error)))")
        }
    }

    private func reloadCertificate() async {
        guard started.tls != nil else { return }
        do {
            try await server.reloadCertificate()
            logger.notice("the certificate has been reloaded")
        } catch {
            let reason = (error as? CertificateError)?.description ?? "\(type(of: error))"
            logger.error("the new certificate or key cannot be used, the old one stays", metadata: ["error": "\(reason)"])
        }
    }
}
