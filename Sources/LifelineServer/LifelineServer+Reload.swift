import NIOPosix
import ServerRuntime
import ServerStorage

// Changes of applications, certificate and Redis credentials while the server runs.
extension LifelineServer {
    /// Applies changes of the configuration's application registry to open connections. Call it after
    /// ``ReloadableApplicationRegistry/replace(with:)``.
    ///
    /// Connections whose application was removed or disabled are closed with 4001 or 4003. Other connections stay open with the new
    /// settings, and their number and origin are not checked again. New connections and requests always use the registry. Returns at once;
    /// open connections follow within one turn of their event loops (rule SO-21).
    public func applicationsChanged() { reload.applicationsChanged() }

    /// Replaces the keysets and chat applications. Those with new keys are added, those with known keys are changed, and missing ones are
    /// no longer served. Nil changes nothing for that service (rules PV-150 to PV-153 and NV-70 to NV-72).
    ///
    /// The data of a keyset or chat application is kept while it is not served. Held polls are answered with a refusal when a new request
    /// would be refused; sessions of removed or disabled chat applications are ended. Returns when the new values apply to new requests;
    /// open connections follow within one turn of their event loops. Applications that were made at run time stay (rule AR-2).
    ///
    /// - Throws: ``ServerError/unguardedBridge(subscribeKey:)``, or an error of a store that cannot restore the data of a new keyset or
    ///   application. After an error nothing has changed.
    public func replace(keysets: [Keyset]? = nil, chatApplications: [ChatApplication]? = nil) async throws {
        var settings: [ServiceName: any Sendable] = [:]
        if let keysets { settings[.pubnub] = keysets }
        if let chatApplications { settings[.chat] = chatApplications }
        try await replace(settings: settings)
    }

    /// Applies new settings of services, by service (rule SO-144).
    ///
    /// - Throws: an error of a service that cannot use its settings. Usually no service has changed then. Only when a service refuses its
    ///   settings as they are applied, the services before it in the list have changed.
    package func replace(settings: [ServiceName: any Sendable]) async throws {
        try await reload.replace(settings)
    }

    /// Uses another user or password for later connections to Redis, and retries at once if a connection is missing (rule CR-36). Does
    /// nothing for a server without Redis. Other changes of the Redis settings need a restart.
    package func replace(redis: RedisConfiguration) {
        guard let started = configuration.redis, Set(started.places) == Set(redis.places), started.partitions == redis.partitions
        else { return }
        seat.renew(redis)
        runtime?.renew(redis)
    }

    /// Reads the certificate and key again, for new connections. Does nothing without TLS.
    ///
    /// The server also checks the files at regular intervals.
    ///
    /// - Throws: `CertificateError` when the files cannot be used; the server then keeps the current certificate (rule SO-32).
    public func reloadCertificate() async throws {
        guard let certificate = context.certificate else { return }
        try await NIOThreadPool.singleton.runIfActive { try certificate.reload() }
        certificate.warn(context.logger, at: context.clock.unixSeconds())
    }

    /// Sets the metric `lifeline_configuration_valid`: whether the last configuration that was read was valid (rule ME-11). It is true
    /// after the start.
    public func noteConfiguration(isValid: Bool) {
        context.hasValidConfiguration.withLockedValue { $0 = isValid }
    }
}
