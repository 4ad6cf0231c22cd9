extension RedisAddress {
    /// Parses `redis://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE?sentinel=NAME`, or `?cluster=true`. The scheme `rediss` means TLS.
    ///
    /// Everything except one host may be omitted. A password without a user belongs to the user `default`.
    package init(_ text: String) throws(RedisAddressError) {
        let scheme = text.prefix { $0 != ":" }.lowercased()
        guard scheme == "redis" || scheme == "rediss", text.dropFirst(scheme.count).hasPrefix("://") else { throw .scheme }
        let rest = text.dropFirst(scheme.count + 3)
        if rest.contains("#") { throw .invalidHost }
        let (location, query) = Self.split(rest, at: "?")
        let (authority, path) = Self.split(location, at: "/")
        let topology = try Self.topology(query)
        let credentials = try Self.credentials(authority)
        let port = if case .sentinel = topology { Self.sentinelPort } else { Self.serverPort }
        let database = try Self.database(path)
        self.init(
            hosts: try Self.hosts(authority, port: port), usesTLS: scheme == "rediss", credentials: credentials,
            database: database,
            topology: topology)
        if topology == .cluster, database != 0 { throw .databaseInCluster }
        if topology == .single, self.hosts.count > 1 { throw .severalHosts }
    }

    private static func split(_ text: Substring, at mark: Character) -> (Substring, Substring?) {
        guard let place = text.firstIndex(of: mark) else { return (text, nil) }
        return (text[..<place], text[text.index(after: place)...])
    }

    private static func credentials(_ authority: Substring) throws(RedisAddressError) -> Credentials? {
        guard let end = authority.firstIndex(of: "@") else { return nil }
        let (user, password) = split(authority[..<end], at: ":")
        guard let password, !password.isEmpty else { throw .noPassword }
        if password.contains(":") { throw .invalidHost }
        let name = try unescaped(user)
        return Credentials(user: name.isEmpty ? "default" : name, password: try unescaped(password))
    }

    private static func hosts(_ authority: Substring, port: Int) throws(RedisAddressError) -> [Host] {
        let list = authority.firstIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        if list.isEmpty { throw .noHost }
        var hosts: [Host] = []
        for text in list.split(separator: ",", omittingEmptySubsequences: false) {
            hosts.append(try host(text, port: port))
        }
        return hosts
    }

    private static func host(_ text: Substring, port: Int) throws(RedisAddressError) -> Host {
        if text.isEmpty { throw .noHost }
        var name = text
        var digits: Substring?
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { throw .invalidHost }
            name = text.prefix(upTo: end).dropFirst()
            let behind = text[text.index(after: end)...]
            if !behind.isEmpty, !behind.hasPrefix(":") { throw .invalidHost }
            digits = behind.isEmpty ? nil : behind.dropFirst()
            guard name.contains(":"), name.utf8.allSatisfy({ isHexadecimal($0) || ":.".utf8.contains($0) }) else {
                throw .invalidHost
            }
        } else {
            (name, digits) = split(text, at: ":")
            guard !name.isEmpty, name.utf8.allSatisfy({ isLetterOrDigit($0) || "-._".utf8.contains($0) }) else {
                throw .invalidHost
            }
        }
        guard let digits else { return Host(String(name), port: port) }
        guard let number = number(digits), (1...65_535).contains(number) else { throw .invalidPort }
        return Host(String(name), port: number)
    }

    private static func database(_ path: Substring?) throws(RedisAddressError) -> Int {
        guard let path, !path.isEmpty else { return 0 }
        guard let number = number(path) else { throw .invalidDatabase }
        return number
    }

    private static func topology(_ query: Substring?) throws(RedisAddressError) -> Topology {
        var sentinel: String?
        var cluster: Bool?
        for parameter in (query ?? "").split(separator: "&") {
            let (name, value) = split(parameter, at: "=")
            switch name {
            case "sentinel":
                guard sentinel == nil else { throw .invalidParameter }
                sentinel = try unescaped(value ?? "")
                if sentinel?.isEmpty == true { throw .emptySentinel }
            case "cluster":
                guard cluster == nil, value == "true" || value == "false" else { throw .invalidParameter }
                cluster = value == "true"
            default: throw .unknownParameter
            }
        }
        if let sentinel {
            if cluster == true { throw .sentinelAndCluster }
            return .sentinel(sentinel)
        }
        return cluster == true ? .cluster : .single
    }

    // MARK: Characters

    /// Parses a number of at most nine decimal digits.
    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") } && text.utf8.count <= 9 ? Int(text) : nil
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) && UInt8(ascii: "f") >= byte | 0x20 || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Replaces escapes such as `%40` by their characters.
    private static func unescaped(_ text: Substring) throws(RedisAddressError) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte != UInt8(ascii: "%") {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, digits.allSatisfy(isHexadecimal), let value = UInt8(String(Substring(digits)), radix: 16)
            else {
                throw .invalidEscape
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        guard let result = String(validating: bytes, as: UTF8.self) else { throw .invalidEscape }
        return result
    }
}
