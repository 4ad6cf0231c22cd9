// Apps that use the SDK name types of Foundation: `NSObject`, `URL`.
@_exported import Foundation
