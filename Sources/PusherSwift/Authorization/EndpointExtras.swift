/// What the app adds to requests to an endpoint. Rule PA-61.
struct EndpointExtras {
    var headers: [String: String] = [:]
    var params: [String: String] = [:]

    init() {}

    /// What stays the same.
    init(_ options: PusherClientOptions) {
        headers = options.authHeaders
        params = options.authParams
    }

    /// What the providers say, and the rest. On the callback queue.
    init(asking options: PusherClientOptions) {
        self.init(options)
        for (name, value) in options.authHeadersProvider?() ?? [:] {
            headers = headers.filter { $0.key.lowercased() != name.lowercased() }
            headers[name] = value
        }
        params.merge(options.authParamsProvider?() ?? [:]) { _, provided in provided }
    }
}

extension PusherClientOptions {
    var hasAuthProviders: Bool { authHeadersProvider != nil || authParamsProvider != nil }
}
