import Identifiers
import PusherProtocol
import ServerRuntime

/// A request of the HTTP API with all parts that its answer depends on.
struct RESTRequest: Hashable, Sendable {
    var method: String
    /// The request target without the server's path prefix.
    var target: RequestTarget
    var body: [UInt8]

    init(method: String, target: RequestTarget, body: [UInt8]) {
        self.method = method
        self.target = target
        self.body = body
    }

    init(_ request: HTTPRequest) {
        self.init(method: request.method, target: request.target, body: request.body)
    }

    /// The value of a query parameter; nil when it is missing. Its name is compared without case, because signatures use lowercase names.
    /// Throws when the parameter occurs twice.
    func parameter(_ name: String) throws(HTTPProblem) -> String? {
        var found: String?
        for parameter in target.parameters where PusherRequestSignature.lowercased(parameter.name).isExactly(name) {
            if found != nil { throw .repeatedParameter }
            found = parameter.value
        }
        return found
    }

    /// The values of a list in the query, such as `name[]=a&name[]=b`, `name[0]=a&name[1]=b`, or `name=a` for one value. Nil when the query
    /// has none.
    func list(_ name: String) throws(HTTPProblem) -> [String]? {
        let values = target.parameters.filter { Self.isElement(PusherRequestSignature.lowercased($0.name), of: name) }.map(
            \.value)
        if !values.isEmpty { return values }
        return try parameter(name).map { [$0] }
    }

    /// Whether the query has two parameters with the same name. Lists, whose names end in `[]`, are excepted.
    var repeatsParameters: Bool {
        let names = target.parameters.map { PusherRequestSignature.lowercased($0.name) }.filter { !$0.hasByteSuffix("[]") }
        // Up to eight parameters are compared in pairs, which is faster than a set.
        guard names.count <= 8 else { return Set(names.map { Identifier($0) }).count < names.count }
        return names.enumerated().contains { index, name in names.prefix(index).contains { $0.isExactly(name) } }
    }

    /// The paths that the signature of the request may cover. Libraries differ in whether they sign the escaped or the decoded path, and in
    /// whether they include the server's path prefix. All these paths name the same resource.
    func signedPaths(_ prefix: PathPrefix) -> [String] {
        var paths = [target.rawPath]
        if target.decodedPath != target.rawPath { paths.append(target.decodedPath) }
        return prefix.text.isEmpty ? paths : paths.map { prefix.text + $0 } + paths
    }

    private static func isElement(_ parameter: String, of name: String) -> Bool {
        guard parameter.hasBytePrefix(name), parameter.hasByteSuffix("]") else { return false }
        let index = parameter.dropFirst(name.count).dropLast()
        return index.first == "[" && index.dropFirst().utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
