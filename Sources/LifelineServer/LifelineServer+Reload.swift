import NIOPosix

// Changes while the server runs.
extension LifelineServer {
    /// Looks the application of every connection up again in the registry of the configuration. Call it when that has changed, as
    /// after ``ReloadableApplicationRegistry/replace(with:)``.
    ///
    /// Connections whose application is gone or disabled are closed with 4001 or 4003; the others go on and follow its new
    /// settings. What they have already stays: neither their number nor their origin is judged again. New connections and
    /// requests need no call. Returns at once; connections follow within a turn of their event loops (rule SO-21).
    public func applicationsChanged() {
        let core = core
        for outlet in core.outlets {
            outlet.enqueue(
                .review { id in
                    guard let application = core.configuration.applications.application(id: id) else {
                        return .failure(.unknownApplication)
                    }
                    return application.isEnabled ? .success(core.share(application)) : .failure(.disabledApplication)
                })
        }
    }

    /// Reads certificate and key again: new connections get them, old ones go on. Does nothing without TLS.
    ///
    /// The files are also looked at by themselves (``ServerConfiguration/TLS/checkInterval``).
    /// - Throws: ``CertificateError``, what is wrong with the files; the server goes on with what it has (rule SO-32).
    public func reloadCertificate() async throws {
        guard let certificate else { return }
        try await NIOThreadPool.singleton.runIfActive { try certificate.reload() }
        certificate.warn(core.logger, at: core.configuration.clock.unixSeconds())
    }

    /// Says whether the latest configuration that somebody wanted to take over was valid, for the metric
    /// `lifeline_configuration_valid` (rule ME-11). True until it is said otherwise.
    public func noteConfiguration(isValid: Bool) {
        core.hasValidConfiguration.withLockedValue { $0 = isValid }
    }
}
