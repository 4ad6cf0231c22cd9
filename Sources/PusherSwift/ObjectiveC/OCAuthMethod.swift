import Foundation

/// ``AuthMethod`` as a class for Objective-C, which has no enums with associated values. Swift code may use it on every platform.
#if canImport(ObjectiveC)
    @objcMembers
#endif
public class OCAuthMethod: NSObject {
    let method: AuthMethod

    init(_ method: AuthMethod) {
        self.method = method
    }

    /// Creates a method from its number in PusherSwift. Only 4, ``AuthMethod/noMethod``, needs no associated values, so any other number
    /// counts as 4.
    public convenience init(type: Int) {
        self.init(.noMethod)
    }

    public convenience override init() {
        self.init(.noMethod)
    }

    /// ``AuthMethod/endpoint(authEndpoint:)``.
    public convenience init(authEndpoint: String) {
        self.init(.endpoint(authEndpoint: authEndpoint))
    }

    /// ``AuthMethod/authRequestBuilder(authRequestBuilder:)``.
    public convenience init(authRequestBuilder: AuthRequestBuilderProtocol) {
        self.init(.authRequestBuilder(authRequestBuilder: authRequestBuilder))
    }

    /// ``AuthMethod/inline(secret:)``.
    public convenience init(secret: String) {
        self.init(.inline(secret: secret))
    }

    /// ``AuthMethod/authorizer(authorizer:)``.
    public convenience init(authorizer: Authorizer) {
        self.init(.authorizer(authorizer: authorizer))
    }
}

extension AuthMethod {
    /// Converts the method to the class for Objective-C.
    public func toObjc() -> OCAuthMethod {
        OCAuthMethod(self)
    }

    /// Converts the class for Objective-C to the method.
    public static func fromObjc(source: OCAuthMethod) -> AuthMethod {
        source.method
    }
}
