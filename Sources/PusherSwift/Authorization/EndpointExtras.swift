/// The headers and parameters that the app adds to requests to an endpoint. Rule PA-61.
struct EndpointExtras {
    var headers: [String: String] = [:]
    var params: [String: String] = [:]

    init() {}

    /// The fixed headers and parameters.
    init(_ options: PusherClientOptions) {
        headers = options.authHeaders
        params = options.authParams
    }

    /// The providers' headers and parameters, together with the fixed ones. On the callback queue.
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
