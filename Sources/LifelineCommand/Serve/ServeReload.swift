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
            registry.replace(with: settings.applications)
            server.applicationsChanged()
            logger.notice("the applications have been reloaded", metadata: ["apps": "\(settings.applications.count)"])
            if settings.differsBeyondApplications(from: started) {
                logger.warning("other settings have changed as well; they need a new start")
            }
        } catch {
            logger.error("the new configuration is not valid, the old one stays: \(error.message)")
        }
        guard started.tls != nil else { return }
        do {
            try await server.reloadCertificate()
            logger.notice("the certificate has been reloaded")
        } catch {
            logger.error(
                "the new certificate or key cannot be used, the old one stays", metadata: ["error": "\(type(of: error))"])
        }
    }
}
