// On Apple platforms `URLRequest` and `URLResponse` come with Foundation. On Linux they have a module of their own; exporting it
// lets delegates and request builders compile unchanged with `import Foundation` and `import PusherSwift`.
@_exported import Foundation

#if canImport(FoundationNetworking)
    @_exported import FoundationNetworking
#endif
