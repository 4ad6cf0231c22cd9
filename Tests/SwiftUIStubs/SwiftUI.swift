// The declarations of SwiftUI and Combine that Examples/ChatApp/SwiftUI uses, as Apple documents them, without anything behind them.
// For type-checking on Linux only; Scripts/check-swiftui.sh.

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError() }
}

@MainActor @preconcurrency public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: Scene {}

@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
    @MainActor @preconcurrency init()
}

extension App {
    @MainActor @preconcurrency public static func main() {}
}

@resultBuilder public struct ViewBuilder {
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<(repeat each Content)> {
        TupleView()
    }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(first: First) -> Conditional<First, Second> { Conditional() }
    public static func buildEither<First: View, Second: View>(second: Second) -> Conditional<First, Second> { Conditional() }
}

@resultBuilder public struct SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

public struct TupleView<Content>: View { public typealias Body = Never }
public struct Conditional<First: View, Second: View>: View { public typealias Body = Never }
public struct ModifiedView<Content: View>: View { public typealias Body = Never }
extension Optional: View where Wrapped: View { public typealias Body = Never }
extension View where Body == Never {
    public var body: Never { fatalError() }
}
extension Scene where Body == Never {
    public var body: Never { fatalError() }
}

public struct Text: View {
    public typealias Body = Never
    public init<S: StringProtocol>(_ content: S) {}
}

public struct VStack<Content: View>: View {
    public typealias Body = Never
    public init(@ViewBuilder content: () -> Content) {}
}

public struct HStack<Content: View>: View {
    public typealias Body = Never
    public init(@ViewBuilder content: () -> Content) {}
}

public struct List<Content: View>: View {
    public typealias Body = Never
    public init<Data: RandomAccessCollection>(_ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> Content)
    where Data.Element: Identifiable {}
}

public struct ForEach<Data: RandomAccessCollection, Content: View>: View where Data.Element: Identifiable {
    public typealias Body = Never
    public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {}
}

public struct TextField: View {
    public typealias Body = Never
    public init<S: StringProtocol>(_ title: S, text: Binding<String>) {}
}

public struct Button: View {
    public typealias Body = Never
    public init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) {}
}

public struct WindowGroup<Content: View>: Scene {
    public typealias Body = Never
    public init(@ViewBuilder content: @escaping () -> Content) {}
}

public struct Color: Sendable {
    public static let secondary = Color()
    public static let red = Color()
}

extension View {
    public func foregroundColor(_ color: Color?) -> ModifiedView<Self> { ModifiedView() }
    public func disabled(_ disabled: Bool) -> ModifiedView<Self> { ModifiedView() }
    public func task(_ action: sending @escaping @isolated(any) () async -> Void) -> ModifiedView<Self> { ModifiedView() }
}

@propertyWrapper public struct State<Value> {
    public init(wrappedValue: Value) {}
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { Binding() }
}

public struct Binding<Value> {}

public protocol ObservableObject: AnyObject {}

@propertyWrapper public struct Published<Value> {
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    public var wrappedValue: Value
}

@MainActor @preconcurrency @propertyWrapper public struct StateObject<Object: ObservableObject> {
    nonisolated public init(wrappedValue thunk: @autoclosure @escaping () -> Object) {}
    @MainActor @preconcurrency public var wrappedValue: Object { fatalError() }
}
