import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { asked, followChanges } from "./ask/asked.ts";
import { router } from "./pages/router.ts";
import "./style/tokens.css";
import "./style/base.css";
import "./style/frame.css";
import "./style/parts.css";
import "./style/cards.css";
import "./style/lists.css";
import "./style/machines.css";

followChanges();

const place = document.getElementById("page");
if (place === null) throw new Error("the document has no place for the page");
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={asked}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
