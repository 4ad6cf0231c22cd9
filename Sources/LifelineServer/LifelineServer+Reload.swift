import ChatServer
import NIOPosix
import PubNubServer
import RealtimeHub

// Changes while the server runs.
extension LifelineServer {
    /// Looks the application of every connection up again in the registry of the configuration. Call it when that has changed, as
    /// after ``ReloadableApplicationRegistry/replace(with:)``.
    ///
    /// Connections whose application is gone or disabled are closed with 4001 or 4003; the others go on and follow its new
    /// settings. What they have already stays: neither their number nor their origin is judged again. New connections and
    /// requests need no call. Returns at once; connections follow within a turn of their event loops (rule SO-21).
    public func applicationsChanged() {
        services.pusher.applicationsChanged()
        shared.applicationsChanged()
    }

    /// Serves other keysets and chat applications than before: with keys that are not known yet they are added, with known ones changed,
    /// and what is not named any more is served no longer. Nil leaves those of a service as they are (rules PV-150 to PV-153 and
    /// NV-70 to NV-72).
    ///
    /// What a keyset or chat application has is kept while it is not served, and is there when it comes back. Held polls that a new
    /// request would be refused for get that refusal; sessions of chat applications that are gone or disabled are ended. Returns when
    /// new requests are served by what was given; connections follow within a turn of their event loops.
    ///
    /// - Throws: ``ServerError/unguardedBridge(subscribeKey:)``, and errors of the store, from which new ones are restored. Nothing has
    ///   changed then.
    public func replace(keysets: [Keyset]? = nil, chatApplications: [ChatApplication]? = nil) async throws {
        // One after the other: what is made for one change is numbered behind what the last one has added.
        let task = shared.reloading.withLockedValue { reloading in
            let task = Task { [shared, last = reloading] in
                _ = await last?.result
                let pubnub = if let keysets { try await shared.streams.prepare(keysets) } else { nil as PubNubReload? }
                let chat =
                    if let chatApplications { try await shared.chat.prepare(chatApplications) } else { nil as ChatReload? }
                try await shared.take(pubnub, chat)
            }
            reloading = task
            return task
        }
        try await task.value
    }

    /// Reads certificate and key again: new connections get them, old ones go on. Does nothing without TLS.
    ///
    /// The files are also looked at by themselves (``ServerConfiguration/TLS/checkInterval``).
    /// - Throws: ``CertificateError``, what is wrong with the files; the server goes on with what it has (rule SO-32).
    public func reloadCertificate() async throws {
        guard let certificate = context.certificate else { return }
        try await NIOThreadPool.singleton.runIfActive { try certificate.reload() }
        certificate.warn(context.logger, at: context.clock.unixSeconds())
    }

    /// Says whether the latest configuration that somebody wanted to take over was valid, for the metric
    /// `lifeline_configuration_valid` (rule ME-11). True until it is said otherwise.
    public func noteConfiguration(isValid: Bool) {
        context.hasValidConfiguration.withLockedValue { $0 = isValid }
    }
}
