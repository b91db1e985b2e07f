import "./portal.css";

export const metadata = { title: "Portal" };

export default function Layout({ children }) {
  return (
    <html lang="en">
      <head>
        <script src="/config.js" />
      </head>
      <body>{children}</body>
    </html>
  );
}
