// Stand-ins for the types of FoundationNetworking that the API names, for programs on Linux that are compiled with
// `-Xswiftc -DWITHOUT_FOUNDATION_NETWORKING`. FoundationNetworking needs libcurl, and with it some thirty libraries of the system.
#if WITHOUT_FOUNDATION_NETWORKING
    import Foundation

    /// A request, as an authoriser makes one.
    public struct URLRequest: Hashable, Sendable {
        /// The address.
        public var url: URL?
        /// The method; `GET` unless it is set.
        public var httpMethod: String? = "GET"
        /// The body; nil for none.
        public var httpBody: Data?
        /// Header fields by name; nil for none.
        public var allHTTPHeaderFields: [String: String]?
        /// Bodies from streams are not supported, with this type as with the other one (rule PA-33).
        var httpBodyStream: InputStream? { nil }

        /// A request without header fields and without a body.
        public init(url: URL) {
            self.url = url
        }

        /// Sets a header field, or removes it with nil. Names are compared without regard to the case of ASCII letters.
        public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {
            var fields = (allHTTPHeaderFields ?? [:]).filter { $0.key.lowercased() != field.lowercased() }
            if let value { fields[field] = value }
            allHTTPHeaderFields = fields
        }
    }

    /// An answer to a request. `@unchecked Sendable`: everything in it and in its only subclass is constant, so no lock is needed.
    public class URLResponse: @unchecked Sendable {
        /// Where the answer comes from.
        public let url: URL?

        init(url: URL?) {
            self.url = url
        }
    }

    /// An HTTP answer to a request. `@unchecked Sendable`, since its superclass is; everything is constant, so no lock is needed.
    public final class HTTPURLResponse: URLResponse, @unchecked Sendable {
        /// The status, such as 403.
        public let statusCode: Int
        /// Header fields by name.
        public let allHeaderFields: [String: String]

        init?(url: URL, statusCode: Int, httpVersion: String?, headerFields: [String: String]?) {
            self.statusCode = statusCode
            allHeaderFields = headerFields ?? [:]
            super.init(url: url)
        }
    }

    /// Takes the place of `URLSession` where nothing loads addresses but this library's own transport.
    public final class URLSession: Sendable {
        /// The only one.
        public static let shared = URLSession()

        private init() {}
    }
#endif
