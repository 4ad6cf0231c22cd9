import WireCoding

extension PubNubRequest {
    /// The path and query of the request line (rules PN-1 to PN-3).
    ///
    /// The request's own parameters come first and replace common parameters of the same name, because some calls use such a name for
    /// something else, such as `auth` in a grant.
    ///
    /// - Parameters:
    ///   - settings: the values of the common parameters.
    ///   - requestID: the value of `requestid`, new for each request; nil for none.
    ///   - timestamp: seconds since 1970, for the signature. Without it, or without a secret key, the request is not signed.
    public func target(_ settings: PubNubSettings, requestID: String? = nil, timestamp: Int? = nil) -> String {
        var all = parameters
        func add(_ name: String, _ value: String?) {
            guard let value, !parameters.contains(where: { $0.name == name }) else { return }
            all.append(Parameter(name, value))
        }
        add("uuid", settings.userID)
        add("deviceid", settings.deviceID)
        add("instanceid", settings.instanceID)
        add("requestid", requestID)
        add("pnsdk", settings.sdk)
        add("auth", settings.auth)
        let path = Self.path(path)
        if let secretKey = settings.secretKey, let timestamp {
            all = PubNubSignature.signed(
                method: method, path: path, parameters: all, body: body, publishKey: settings.publishKey,
                subscribeKey: settings.subscribeKey, secretKey: secretKey, timestamp: timestamp)
        }
        return path + "?" + Self.query(all)
    }

    /// Joins the parts of a path with slashes.
    static func path(_ parts: [String]) -> String {
        "/" + parts.joined(separator: "/")
    }

    /// Encodes parameters as a query according to RFC 3986, in their order.
    static func query(_ parameters: [Parameter]) -> String {
        var out: [UInt8] = []
        out.reserveCapacity(256)
        for (index, parameter) in parameters.enumerated() {
            if index > 0 { out.append(UInt8(ascii: "&")) }
            PercentEncoding.append(parameter.name.utf8, to: &out)
            out.append(UInt8(ascii: "="))
            PercentEncoding.append(parameter.value.utf8, to: &out)
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// Encodes names as one part of a path: percent-encoded, with commas in between. Without names the part is a single comma (rule PN-2).
    public static func pathList(_ names: [String]) -> String {
        guard !names.isEmpty else { return "," }
        var out: [UInt8] = []
        for (index, name) in names.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            PercentEncoding.append(name.utf8, to: &out)
        }
        return String(decoding: out, as: UTF8.self)
    }
}
