/// The headers and form fields that the app adds to requests to an authorisation endpoint (rule PA-61).
struct EndpointExtras {
    var headers: [String: String] = [:]
    var params: [String: String] = [:]

    init() {}

    /// Creates the headers and form fields of a request from the options `authHeaders` and `authParams`.
    init(_ options: PusherClientOptions) {
        headers = options.authHeaders
        params = options.authParams
    }

    /// Creates the headers and form fields of a request from the options' fixed values and from the closures `authHeadersProvider` and
    /// `authParamsProvider`, whose values have precedence. Must be called on the callback queue.
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
