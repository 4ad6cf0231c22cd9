import LifelineServer
import Logging
import RealtimeHub
import ServiceLifecycle
import UnixSignals

/// Takes over changed applications and a changed certificate with every SIGHUP. Rules SO-20 to SO-22.
struct ServeReload: Service {
    let server: LifelineServer
    let registry: ReloadableApplicationRegistry
    let signals: UnixSignalsSequence
    let command: ServeCommand
    let started: ServeSettings
    let logger: Logger

    func run() async throws {
        for await _ in signals.cancelOnGracefulShutdown() { await reload() }
    }

    private func reload() async {
        do throws(CommandFailure) {
            let settings = try await ServeSettings(command: command)
            // Those of a service that is off stay away until the new start.
            let applications = settings.applications(for: started.services)
            registry.replace(with: applications)
            server.applicationsChanged()
            server.noteConfiguration(isValid: true)
            logger.notice("the applications have been reloaded", metadata: ["apps": "\(applications.count)"])
            let others = settings.settingsForNewStart(since: started)
            if !others.isEmpty {
                logger.warning(
                    "other settings have changed as well; they need a new start",
                    metadata: ["settings": "\(others.joined(separator: ", "))"])
            }
        } catch {
            server.noteConfiguration(isValid: false)
            logger.error("the new configuration is not valid, the old one stays: \(error.message)")
        }
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
