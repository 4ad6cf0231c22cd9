import RealtimeHub

/// What `serve --check` says would run, without secrets. Rule SO-5.
struct ServeReport {
    let settings: ServeSettings

    var lines: [String] {
        let scheme = settings.tls == nil ? "http" : "https"
        let host = settings.host.contains(":") ? "[\(settings.host)]" : settings.host
        var lines = ["lifeline: valid \(scheme)://\(host):\(settings.port)\(settings.server.pathPrefix)"]
        for application in settings.applications { lines.append(line(application)) }
        lines.append("pubnub: access manager \(settings.keyset.requiresGrants ? "on" : "off"), polls held \(settings.pollHold) s")
        lines.append("nexconn: presence \(settings.chat.hasPresence ? "on" : "off")")
        lines.append("messages: " + (settings.data.map { "kept in \($0)" } ?? "kept in memory"))
        lines += settings.strayVariables.map { "warning: the variable \($0) is no setting" }
        if settings.host != "127.0.0.1", settings.host != "::1", settings.host != "localhost" {
            if settings.usesDevelopmentCredentials {
                lines.append("warning: others can reach this server, and a secret of its development credentials is public")
            }
        }
        return lines
    }

    private func line(_ application: Application) -> String {
        var traits: [String] = application.isEnabled ? [] : ["disabled"]
        if application.allowsClientEvents { traits.append("client events") }
        if application.announcesSubscriptionCounts { traits.append("subscription counts") }
        if application.allowsUserAuthentication { traits.append("user authentication") }
        if application.requiresTLS { traits.append("TLS only") }
        if !application.allowedOrigins.isEmpty { traits.append("origins \(application.allowedOrigins.joined(separator: " "))") }
        if let limit = application.limits.connections { traits.append("at most \(limit) connections") }
        if !application.webhooks.isEmpty { traits.append("webhooks \(application.webhooks.count)") }
        return "app \(application.id): " + (traits.isEmpty ? "nothing extra" : traits.joined(separator: ", "))
    }
}
